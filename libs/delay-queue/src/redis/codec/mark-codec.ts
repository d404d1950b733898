import type { FinishAnswer, MarkAnswer, OwnMarkAnswer } from '../../ports/idempotency-store.js';

/** Reads the reply of the script `markBegin`. */
export function decodeMark(reply: unknown): MarkAnswer {
  const [letter, detail] = reply as [string, string?];
  if (letter === 'p') return { kind: 'in progress', leftMs: Number(detail) };
  return decodeOwnMark(reply);
}

/** Reads the reply of the script `markLook`. */
export function decodeOwnMark(reply: unknown): OwnMarkAnswer {
  const [letter, result = ''] = reply as [string, string?];
  switch (letter) {
    case 'b':
      return { kind: 'begun' };
    case 'd':
      return { kind: 'done', result: result === '' ? null : result };
    case 's':
      return { kind: 'superseded' };
    default:
      throw new TypeError(`not an answer about a mark: '${letter}'`);
  }
}

const FINISH_OF_LETTER: Readonly<Record<string, FinishAnswer>> = { a: 'finished', d: 'done before', l: 'lost' };

/** Reads the reply of the script `markFinish`. */
export function decodeFinish(reply: unknown): FinishAnswer {
  const answer = FINISH_OF_LETTER[String(reply)];
  if (answer === undefined) throw new TypeError(`not an answer about a done mark: '${String(reply)}'`);
  return answer;
}
