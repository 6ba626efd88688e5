/** Which provider the functions call: the live one, the simulated one, or one named by the caller. */
import { coinProvider } from '../shared/providers/index.ts';
import { answers, PROBE_SECONDS } from '../shared/providers/probe.ts';
import type { LocalEnvironment } from './function-environment.ts';
import type { Simulated, SimulatedOptions } from './simulated/index.ts';

export type ProviderMode = 'auto' | 'live' | 'simulated';

export interface ProviderChoice {
  /** `auto`: the configured address, else live if it responds, else simulated. */
  readonly mode?: ProviderMode;
  /** The options of the simulated provider and the other simulated sources. */
  readonly simulated?: SimulatedOptions;
  /** The address that `auto` probes. */
  readonly liveUrl?: string;
}

export interface ChosenProvider {
  readonly kind: 'live' | 'simulated' | 'given';
  readonly url: string;
  /** The reason for the choice, if it was automatic. */
  readonly reason?: string;
  /** The simulated provider with all other simulated sources, which are otherwise live. */
  readonly simulated?: Simulated;
}

export const { name: providerName, settings } = coinProvider;
export const LIVE_URL = coinProvider.endpoint({}).baseUrl;

/** Chooses the provider, and starts the simulated one with the other sources if it is chosen. */
export async function chooseProvider(
  choice: ProviderChoice,
  local: LocalEnvironment,
): Promise<ChosenProvider> {
  const { mode = 'auto', liveUrl = LIVE_URL } = choice;
  const kind = await providerKind(choice, local);
  if (kind !== 'simulated') return { kind, url: local[settings.baseUrl] || liveUrl };
  // Loaded only when used.
  const { realLimits, startSimulated } = await import('./simulated/index.ts');
  const simulated = await startSimulated({ limits: realLimits, ...choice.simulated });
  const chosen = { kind, url: simulated.provider.url, simulated };
  if (mode === 'simulated') return chosen;
  const reason = `${new URL(liveUrl).host} did not answer within ${PROBE_SECONDS} seconds`;
  return { ...chosen, reason };
}

/** The kind that would be chosen; probes the live provider if necessary. */
export async function providerKind(
  { mode = 'auto', liveUrl = LIVE_URL }: ProviderChoice,
  local: LocalEnvironment,
): Promise<ChosenProvider['kind']> {
  if (mode !== 'auto') return mode;
  if (local[settings.baseUrl]) return 'given';
  return (await answers(liveUrl, coinProvider)) ? 'live' : 'simulated';
}
