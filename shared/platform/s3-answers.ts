/** The XML of S3's responses. Loaded with the first one that has some: most requests are answered with an object. */
import { S3Error } from './s3-error.ts';
import type { HttpAnswer } from './transport.ts';
import { elementsNamed, readXml, type XmlElement } from './xml.ts';

/** The error in a response. What stands between may answer in its own words: then it has no code. */
export function errorIn({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): S3Error {
  try {
    return new S3Error(status, textIn(readXml(body.toString()), 'Code'));
  } catch {
    return new S3Error(status);
  }
}

/** A page of a list of objects. Throws S3Error for an error, and SyntaxError for anything else that is no list. */
export function pageIn(answer: Pick<HttpAnswer, 'status' | 'body'>): {
  readonly keys: readonly string[];
  /** The token of the next page; undefined after the last one. */
  readonly next: string | undefined;
} {
  if (answer.status !== 200) throw errorIn(answer);
  const list = readXml(answer.body.toString());
  if (list.name !== 'ListBucketResult') throw new SyntaxError(`S3 answered a list with ${list.name}`);
  return {
    keys: elementsNamed(list, 'Contents').map((object) => textIn(object, 'Key') ?? ''),
    next: textIn(list, 'NextContinuationToken'),
  };
}

function textIn(element: XmlElement, name: string): string | undefined {
  return elementsNamed(element, name)[0]?.text;
}
