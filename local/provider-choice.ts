/** Which provider the functions call: the live one, the simulated one, or the one that the caller names. */
import { providerOf } from '../shared/providers/index.ts';
import type { SimulatedSources, SimulatedSourcesOptions } from './exchanges/index.ts';
import type { LocalEnvironment } from './function-environment.ts';
import type { SimulatedProvider, SimulatedProviderOptions } from './provider/index.ts';

export type ProviderMode = 'auto' | 'live' | 'simulated';

export interface ProviderChoice {
  /** `auto`: the one whose address is set, else live if it answers, else simulated. */
  readonly mode?: ProviderMode;
  /** For the simulated one. */
  readonly simulated?: SimulatedProviderOptions;
  /** For the simulated exchanges beside it. */
  readonly faults?: SimulatedSourcesOptions['faults'];
  /** Asked by `auto` whether it answers. */
  readonly liveUrl?: string;
}

export interface ChosenProvider {
  readonly kind: 'live' | 'simulated' | 'given';
  readonly url: string;
  /** The reason for this one, if nobody asked for it. */
  readonly reason?: string;
  readonly simulated?: SimulatedProvider;
  /** Beside a simulated provider the other sources are simulated too; else they are the live ones. */
  readonly sources?: SimulatedSources;
}

const provider = providerOf('ticker', 'candles', 'prices');
export const { name: providerName, settings } = provider;
export const LIVE_URL = provider.endpoint({}).baseUrl;
const PROBE_TIMEOUT_MS = 2000;

/** Chooses, and starts the simulated provider, with the other sources beside it, if it is chosen. */
export async function chooseProvider(
  choice: ProviderChoice,
  local: LocalEnvironment,
): Promise<ChosenProvider> {
  const { mode = 'auto', liveUrl = LIVE_URL } = choice;
  const kind = await providerKind(choice, local);
  if (kind !== 'simulated') return { kind, url: local[settings.baseUrl] || liveUrl };
  const simulated = await startSimulated(choice);
  if (mode === 'simulated') return simulated;
  const reason = `${new URL(liveUrl).host} did not answer within ${PROBE_TIMEOUT_MS / 1000} seconds`;
  return { ...simulated, reason };
}

/** The kind that would be chosen; asks the live provider if that decides. */
export async function providerKind(
  { mode = 'auto', liveUrl = LIVE_URL }: ProviderChoice,
  local: LocalEnvironment,
): Promise<ChosenProvider['kind']> {
  if (mode !== 'auto') return mode;
  if (local[settings.baseUrl]) return 'given';
  return (await answers(liveUrl)) ? 'live' : 'simulated';
}

async function startSimulated({
  simulated: options,
  faults = {},
}: ProviderChoice): Promise<ChosenProvider & Required<Pick<ChosenProvider, 'simulated' | 'sources'>>> {
  // Loaded only when they are used.
  const { startSimulatedProvider } = await import('./provider/index.ts');
  const { startSimulatedExchanges } = await import('./exchanges/index.ts');
  const simulated = await startSimulatedProvider(options ?? {});
  const sources = await startSimulatedExchanges({ world: simulated.world, limits: true, faults });
  return { kind: 'simulated', url: simulated.url, simulated, sources };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url + provider.probePath, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
