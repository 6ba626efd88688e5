/**
 * The environment of every function: one schema that the infrastructure, the handlers and the tests share.
 */
import { ApiError } from './errors.ts';

interface Variable {
  readonly description: string;
  readonly default?: string;
  /** Its value never leaves the process: cut from every error text and log line. */
  readonly secret?: true;
  /** Throws, with what is allowed, when the text is not usable. */
  readonly check?: (text: string) => void;
}

export const variables = {
  NODE_ENV: {
    description: '`production`: callers need a key. Anything else: authentication is bypassed',
    default: 'development',
  },
  CLIENT_API_KEY: { description: 'The key that callers send as `x-api-key` in production', secret: true },
  COINPAPRIKA_BASE_URL: {
    description: 'Where CoinPaprika answers',
    check: httpUrl,
  },
  COINPAPRIKA_API_KEY: { description: 'Key of a paid CoinPaprika plan', secret: true },
} as const satisfies Record<string, Variable>;

export type EnvironmentName = keyof typeof variables;
export type Environment = Readonly<Partial<Record<EnvironmentName, string>>> & { readonly NODE_ENV: string };

function httpUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('must be an http:// or https:// URL');
}

/** Reads and checks the named variables. Throws an Error that names the variable and what it must be. */
export function parseEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const parsed: Partial<Record<EnvironmentName, string>> = {};
  for (const [name, variable] of Object.entries(variables) as [EnvironmentName, Variable][]) {
    const text = source[name] || variable.default;
    if (text === undefined) continue;
    try {
      variable.check?.(text);
    } catch (error) {
      throw new Error(
        `Environment variable ${name} ${error instanceof Error ? error.message : 'is not usable'}`,
      );
    }
    parsed[name] = text;
  }
  return { NODE_ENV: 'development', ...parsed };
}

/** The value of a secret at this moment. Throws the 500 that does not name it to the caller. */
export function readSecret(
  name: string,
  source: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const value = source[name];
  if (!value) throw ApiError.serverConfiguration(name);
  return value;
}
