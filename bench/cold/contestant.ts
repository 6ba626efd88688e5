import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { routes } from '../../functions/routes.ts';
import { eventTo } from '../deployed/request.ts';
import type { Container } from './containers.ts';

export interface Contestant extends Container {
  readonly name: string;
  /** What it is deployed with. */
  readonly memoryMb: number;
}

/** Of contestants that are not deployed: what most of ours have. */
export const USUAL_MB = 256;

/** What functions speak to, and those that are measured against it. */
export interface World {
  readonly contestants: readonly Contestant[];
  close(): Promise<void>;
}

/** The route's own example, for a coin if it has one, as API Gateway hands it on. */
export function eventOf({ method, path, example, hasBody }: (typeof routes)[number], coin?: string) {
  const forCoin = coin !== undefined && example && 'id' in example ? { ...example, id: coin } : example;
  const given = Object.entries(forCoin ?? {});
  const inPath = given.filter(([name]) => path.includes(`{${name}}`)).map(asTexts);
  const others = given.filter(([name]) => !path.includes(`{${name}}`));
  let filled: string = path;
  for (const [name, value] of inPath) filled = filled.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(hasBody ? [] : others.map(asTexts));
  return eventTo({
    method,
    target: query.size > 0 ? `${filled}?${query}` : filled,
    routeKey: `${method} ${path}`,
    pathParameters: inPath.length > 0 ? Object.fromEntries(inPath) : undefined,
    body: hasBody ? Object.fromEntries(others) : undefined,
  });
}

const asTexts = ([name, value]: readonly [string, unknown]): [string, string] => [name, String(value)];

export function isSuccess(answer: unknown): void {
  const { statusCode, body } = answer as APIGatewayProxyStructuredResultV2; // what a Lambda behind an HTTP API returns
  if (statusCode !== 200) throw new Error(`Answered ${statusCode}: ${body}`);
}
