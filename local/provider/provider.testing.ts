import { onTestFinished } from 'vitest';
import { type SimulatedProvider, type SimulatedProviderOptions, startSimulatedProvider } from './index.ts';

/** 2026-03-10T16:42:31.250Z, unless a test says otherwise. */
export const NOW = Date.UTC(2026, 2, 10, 16, 42, 31, 250);

/** A provider on a fixed clock that lasts as long as the test. */
export async function startForTest(options: SimulatedProviderOptions = {}): Promise<SimulatedProvider> {
  const provider = await startSimulatedProvider({ now: () => NOW, ...options });
  onTestFinished(() => provider.close());
  return provider;
}

/** The JSON of a 200; fails on any other status. The caller says which shape it expects. */
export async function getJson<T>(provider: SimulatedProvider, path: string): Promise<T> {
  const response = await fetch(provider.url + path);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${body}`);
  return JSON.parse(body) as T;
}
