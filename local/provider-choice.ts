/** Which provider the functions call: the live one, the simulated one, or the one that the caller names. */
import type { LocalEnvironment } from './function-environment.ts';
import type { SimulatedProvider, SimulatedProviderOptions } from './provider/index.ts';

export type ProviderMode = 'auto' | 'live' | 'simulated';

export interface ProviderChoice {
  /** `auto`: COINPAPRIKA_BASE_URL where it is set, else live if it answers, else simulated. */
  readonly mode?: ProviderMode;
  /** For the simulated one. */
  readonly simulated?: SimulatedProviderOptions;
  /** Asked by `auto` whether it answers. */
  readonly liveUrl?: string;
}

export interface ChosenProvider {
  readonly kind: 'live' | 'simulated' | 'given';
  readonly url: string;
  /** Why this one, where nobody asked for it. */
  readonly reason?: string;
  readonly simulated?: SimulatedProvider;
}

export const LIVE_URL = 'https://api.coinpaprika.com/v1';
const PROBE_TIMEOUT_MS = 2000;

/** Chooses, and starts the simulated provider where it is chosen. */
export async function chooseProvider(
  choice: ProviderChoice,
  local: LocalEnvironment,
): Promise<ChosenProvider> {
  const { mode = 'auto', liveUrl = LIVE_URL } = choice;
  const given = local.COINPAPRIKA_BASE_URL;
  if (mode === 'simulated') return startSimulated(choice);
  if (given) return { kind: mode === 'live' ? 'live' : 'given', url: given };
  if (mode === 'live') return { kind: 'live', url: liveUrl };
  if (await answers(liveUrl)) return { kind: 'live', url: liveUrl };
  const reason = `${new URL(liveUrl).host} did not answer within ${PROBE_TIMEOUT_MS / 1000} seconds`;
  return { ...(await startSimulated(choice)), reason };
}

async function startSimulated({ simulated: options }: ProviderChoice): Promise<ChosenProvider> {
  // Loaded only where it is used.
  const { startSimulatedProvider } = await import('./provider/index.ts');
  const simulated = await startSimulatedProvider(options ?? {});
  return { kind: 'simulated', url: simulated.url, simulated };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/global`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
