/** The XML of S3's responses. Loaded with the first one that has some: most requests are answered with an object. */
import { S3Error } from './s3-error.ts';
import type { HttpAnswer } from './transport.ts';
import { readXml } from './xml.ts';

type Answer = Pick<HttpAnswer, 'status' | 'body'>;

/** The error in a response. What stands between may answer in its own words: then it has no code. */
export function errorIn({ status, body }: Answer): S3Error {
  try {
    return new S3Error(status, readXml(body.toString()).find(({ name }) => name === 'Code')?.text);
  } catch {
    return new S3Error(status);
  }
}

/**
 * The keys on a page of a list of objects, and the token of the next page; undefined after the last one. Throws S3Error for an
 * error, and SyntaxError for anything else that is no list.
 */
export function pageIn(answer: Answer): {
  readonly keys: readonly string[];
  readonly next: string | undefined;
} {
  if (answer.status !== 200) throw errorIn(answer);
  const [list, ...content] = readXml(answer.body.toString());
  if (list?.name !== 'ListBucketResult') throw new SyntaxError('S3 answered a list with something else');
  return {
    keys: content.filter(({ name, depth }) => name === 'Key' && depth === 2).map(({ text }) => text),
    next: content.find(({ name }) => name === 'NextContinuationToken')?.text,
  };
}
