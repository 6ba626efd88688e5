import { onTestFinished } from 'vitest';
import { type SimulatedSource, type SimulatedSourceOptions, startSimulatedExchange } from './index.ts';
import type { SourceName } from './names.ts';

/** 2026-03-10T16:42:31Z, unless a test says otherwise. */
export const NOW = Date.UTC(2026, 2, 10, 16, 42, 31);
export const TODAY = Date.UTC(2026, 2, 10);

/** A source on a fixed clock that lasts as long as the test. */
export async function startForTest(
  name: SourceName,
  options: SimulatedSourceOptions = {},
): Promise<SimulatedSource> {
  const source = await startSimulatedExchange(name, { now: () => NOW, ...options });
  onTestFinished(() => source.close());
  return source;
}

/** Status and JSON of an answer. The caller says which shape it expects. */
export async function get<T = unknown>(
  { url }: Pick<SimulatedSource, 'url'>,
  path: string,
): Promise<{ status: number; headers: Headers; json: T }> {
  const response = await fetch(url + path);
  return { status: response.status, headers: response.headers, json: (await response.json()) as T };
}
