import type { HttpAnswer } from './transport.ts';

/** Named by S3's own code, such as `NoSuchKey`. */
export class S3Error extends Error {
  constructor({ status, body }: Pick<HttpAnswer, 'status' | 'body'>) {
    const [code = ''] = wordsOf(body.toString(), 'Code');
    const name = /^\w{1,60}$/.test(code) ? code : '';
    super(`S3 answered ${status}${name && `: ${name}`}`);
    this.name = name || `S3Error${status}`;
  }
}

/** The condition of a change does not hold, because another process has put or deleted the object meanwhile. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** The contents of all elements of that name of S3's XML, which nests no text. */
export function wordsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, content = '']) =>
    content.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hex, named) =>
      named
        ? (entities[named] ?? '')
        : String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16)),
    ),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
