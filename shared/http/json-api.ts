import { type JsonObject, object } from '../platform/json-fields.ts';
import {
  createTransport,
  type HttpAnswer,
  leftUntil,
  onLiveConnection,
  TransportError,
} from '../platform/transport.ts';
import { version } from '../platform/version.ts';
import { ApiError } from './errors.ts';

interface JsonApiOptions {
  /** Its name in errors: `0x`. */
  readonly title: string;
  readonly baseUrl: string;
  /** Headers of every request, including the one with the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that no response may repeat. */
  readonly secrets: readonly string[];
  /** The time limit of one request. */
  readonly timeoutMs: number;
}

/** An API that we call with a key. All its errors are ApiErrors in our own words. */
interface JsonApi {
  /**
   * GETs a path with its query; `deadline` in ms since the epoch. Repeated once if an open connection was dead. Does not
   * follow redirects, because the key is only for this host. Throws 502 or 504 without a complete response of at most 1 MB.
   */
  get(path: string, deadline: number): Promise<HttpAnswer>;
  /** The result of `read` for the JSON object in a response. Throws 502 with the text of any Error that is not an ApiError. */
  read<T>(answer: HttpAnswer, read: (json: JsonObject) => T): T;
}

const MAX_BYTES = 1024 * 1024;

function createJsonApi({ title, baseUrl, headers, secrets, timeoutMs }: JsonApiOptions): JsonApi {
  const common = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': `marketdata-api/${version}`,
  };
  const transport = createTransport({
    baseUrl,
    headers: { ...common, ...headers },
    maxBodyBytes: MAX_BYTES,
  });
  // The search for secrets loads while the first request is under way.
  const cleaning = import('../platform/redaction.ts').then(({ urlParts, withoutEcho }) =>
    withoutEcho([...secrets, ...urlParts(baseUrl)]),
  );
  const unusable = (what: string) => new ApiError(502, `${title} gave an unusable answer: ${what}`);

  function unreachable({ kind, message }: TransportError): ApiError {
    if (kind === 'timeout') return new ApiError(504, `${title} timed out: ${message}`);
    if (kind === 'connection') return new ApiError(502, `${title} is unreachable: ${message}`);
    return unusable(message);
  }

  return {
    async get(path, deadline) {
      const end = Math.min(deadline, Date.now() + timeoutMs);
      const sending = onLiveConnection(() => transport.get(path, leftUntil(end)));
      const answer = await sending.catch((error: unknown) => {
        throw error instanceof TransportError ? unreachable(error) : error;
      });
      return (await cleaning)(answer);
    },
    read({ body }, read) {
      try {
        return read(object(JSON.parse(body.toString('utf8')), 'the answer'));
      } catch (error) {
        if (error instanceof ApiError) throw error;
        if (error instanceof SyntaxError) throw unusable('broken JSON');
        throw unusable(error instanceof Error ? error.message : 'an unknown shape');
      }
    },
  };
}

const kept = new Map<string, { readonly made: string; readonly api: JsonApi }>();

/** The container's API client, with its open connections; replaced when its key or its address has changed. */
export function jsonApi(options: JsonApiOptions): JsonApi {
  const made = JSON.stringify(options);
  const known = kept.get(options.title);
  if (known?.made === made) return known.api;
  const api = createJsonApi(options);
  kept.set(options.title, { made, api });
  return api;
}
