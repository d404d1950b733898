/** Writes texts as `text|count;`, for so many of the same in a row; a text contains neither `|` nor `;`. */
export function encodeRuns(texts: readonly (string | number)[]): string {
  let written = '';
  let count = 0;
  texts.forEach((text, index) => {
    count++;
    if (texts[index + 1] === text) return;
    written += `${text}|${count};`;
    count = 0;
  });
  return written;
}
