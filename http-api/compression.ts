/** Bodies as the edge compresses them: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/ServingCompressedFiles.html */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const MIN_BYTES = 1000;
const MAX_BYTES = 10_000_000;
const compressible =
  /^(text\/|image\/svg\+xml|application\/(json|javascript|xml)\b|application\/[\w.-]+\+json)/;

export interface Compressed {
  readonly body: Buffer | string;
  /** `content-encoding` and `vary`, where they apply. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The body for a client that sent this `accept-encoding`; brotli is preferred to gzip. */
export function compressed(body: Buffer | string, contentType = '', acceptEncoding = ''): Compressed {
  if (body.length < MIN_BYTES || body.length > MAX_BYTES || !compressible.test(contentType))
    return { body, headers: {} };
  const vary = { vary: 'accept-encoding' };
  const encoding = ['br', 'gzip'].find((name) => accepts(acceptEncoding, name));
  if (encoding === undefined) return { body, headers: vary };
  return { body: encode(body, encoding), headers: { ...vary, 'content-encoding': encoding } };
}

function encode(body: Buffer | string, encoding: string): Buffer {
  // The client waits meanwhile.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  return encoding === 'br' ? brotliCompressSync(body, { params }) : gzipSync(body);
}

function accepts(acceptEncoding: string, name: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [coding = '', quality] = part.split(';').map((text) => text.trim().toLowerCase());
    return coding === name && !/^q=0(\.0*)?$/.test(quality ?? '');
  });
}
