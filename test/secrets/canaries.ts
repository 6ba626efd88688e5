/** A value for every declared secret that is easy to find again and hard to cut: full of what texts escape. */
import { randomBytes } from 'node:crypto';
import { routes } from '../../functions/routes.ts';
import { variables } from '../../shared/platform/environment.ts';

export interface Canaries {
  /** Variable → value. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the variables whose values a deployed function fetches. */
  readonly fetched: readonly string[];
  /** Name → a text that must not be seen anywhere: a secret, or the key in a URL. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Besides the URLs of nodes these are private keys. */
const ofChains = routes.flatMap(({ requestSecrets = [] }) => requestSecrets.flat());
/** The secrets that routes declare, in whatever way. */
const ofFunctions = [...new Set([...routes.flatMap(({ secrets = [] }) => secrets), ...ofChains])];
const declared = new Set([
  ...Object.entries(variables).flatMap(([name, variable]) => ('secret' in variable ? [name] : [])),
  ...ofFunctions,
]);

/** Addresses of the APIs that those routes ask which always need a secret. */
const baseUrls = routes
  .filter(({ secrets }) => secrets.length > 0)
  .flatMap(({ environment = [] }) => environment.filter((name) => name.endsWith('_BASE_URL')));

/** `server` is the address at which everything upstream listens. */
export function makeCanaries(server: string): Canaries {
  const texts = new Map<string, string>();
  const awkward = (name: string): string => {
    const text = `${randomBytes(6).toString('hex')}"\\%+/=ü&${randomBytes(6).toString('hex')}`;
    texts.set(name, text);
    return text;
  };
  const privateKey = (name: string): string => {
    const digits = `1${randomBytes(32).toString('hex').slice(1)}`;
    texts.set(name, digits);
    return `0x${digits}`;
  };
  /** An address with a password, a key in the path and one in the query. */
  const url = (name: string, path: string): string => {
    const [password, key, token] = ['password', 'key', 'token'].map((part) =>
      encodeURIComponent(awkward(`${name} ${part}`)),
    );
    return `${server.replace('//', `//operator:${password}@`)}/${path}/${key}/?token=${token}`;
  };
  const environment = Object.fromEntries(
    [...declared].map((name) => {
      if (name.endsWith('_RPC_URL')) {
        const chain = name.slice(0, -8).toLowerCase();
        return [name, `${url(name, `${chain}/v2`)}, ${url(`the second of ${name}`, `${chain}/v3`)}`];
      }
      return [name, ofChains.includes(name) ? privateKey(name) : awkward(name)];
    }),
  );
  const baseKey = encodeURIComponent(awkward('COINPAPRIKA_BASE_URL'));
  return {
    environment: {
      ...environment,
      ...Object.fromEntries(baseUrls.map((name) => [name, server])),
      COINPAPRIKA_BASE_URL: `${server}/${baseKey}/v1`,
    },
    fetched: ofFunctions,
    texts,
  };
}

/** The names of the canaries in a text, in whatever form and however deep it is escaped. */
export function found({ texts }: Canaries, text: string): string[] {
  const readings = [text];
  for (let depth = 0; depth < 3; depth += 1) {
    readings.push(...readings.flatMap((reading) => [unescaped(reading), percentDecoded(reading)]));
  }
  const all = [...new Set(readings)].join('\n');
  return [...texts].flatMap(([name, value]) =>
    needles(value).some((needle) => all.includes(needle)) ? [name] : [],
  );
}

/** The text, and what base64 makes of it wherever in a group it begins. */
function needles(value: string): string[] {
  const encoded = [0, 1, 2].map((offset) =>
    Buffer.from('_'.repeat(offset) + value)
      .toString('base64')
      .replace(/=+$/, '')
      .slice(offset === 0 ? 0 : offset + 1, -1),
  );
  return [value, ...encoded, ...encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_all, code?: string, character?: string) =>
    code === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}
