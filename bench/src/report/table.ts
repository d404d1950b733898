/** Lays rows out in columns; those that hold numbers are set to the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? '').length)));
  const toRight = header.map((_, column) => rows.every((cells) => /^[-\d.,–× ]*$/.test(cells[column] ?? '')));
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) => pad(cells[column] ?? '', width, toRight[column] ?? false))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

function pad(text: string, width: number, toRight: boolean): string {
  return toRight ? text.padStart(width) : text.padEnd(width);
}
