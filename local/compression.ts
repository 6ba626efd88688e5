/** Bodies as the edge compresses them: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/ServingCompressedFiles.html */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const MIN_BYTES = 1000;
const MAX_BYTES = 10_000_000;
const compressible =
  /^(text\/|image\/svg\+xml|application\/(json|javascript|xml)\b|application\/[\w.-]+\+json)/;

export interface Compressed {
  readonly body: Buffer;
  /** `content-encoding` and `vary`, as far as they apply. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The body as a client takes it that sent this `accept-encoding`; brotli goes before gzip. */
export function compressed(body: Buffer, contentType = '', acceptEncoding = ''): Compressed {
  if (body.length < MIN_BYTES || body.length > MAX_BYTES || !compressible.test(contentType))
    return { body, headers: {} };
  const vary = { vary: 'accept-encoding' };
  const encoding = ['br', 'gzip'].find((name) => accepts(acceptEncoding, name));
  if (encoding === undefined) return { body, headers: vary };
  // What is answered once is compressed while somebody waits.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const small = encoding === 'br' ? brotliCompressSync(body, { params }) : gzipSync(body);
  return { body: small, headers: { ...vary, 'content-encoding': encoding } };
}

function accepts(acceptEncoding: string, name: string): boolean {
  return acceptEncoding.split(',').some((part) => {
    const [coding = '', quality] = part.split(';').map((text) => text.trim().toLowerCase());
    return coding === name && quality !== 'q=0';
  });
}
