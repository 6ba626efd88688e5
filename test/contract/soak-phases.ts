/** The life of a provider in a soak: it is well and unwell in turn. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import { lieNames } from '../../local/simulated/lies.ts';
import { popular } from './soak-load.ts';

type Kind = 'healthy' | 'nonsense' | 'outage';

interface Plan {
  readonly kind: Kind;
  /** Each for an equal part of the phase. */
  readonly faults: readonly (string | null)[];
}

/** A phase that is over. Times in milliseconds since the epoch. */
export interface Phase {
  readonly kind: Kind;
  readonly faults: readonly { readonly fault: string | null; readonly from: number }[];
  readonly from: number;
  readonly to: number;
  /** Requests that came in it, and of those the ones after `KNOWN_AFTER_MS`. */
  readonly upstream: number;
  readonly upstreamLate: number;
}

const PHASE_MS = 15_000;
/** By then every container knows of an outage, whatever it was doing when that began. */
const KNOWN_AFTER_MS = 9_000;

/** Who hears of a coin for the first time cannot tell these, so they are told of coins that everybody knows. */
const believable = ['old', 'identity'];
/** One coin's price may jump, and real ones do: the gate (shared/marketdata/gate) looks for it in lists only. */
const undetected = ['scaled'];
const lies = lieNames('coins').filter((name) => ![...believable, ...undetected].includes(name));

const healthy: Plan = { kind: 'healthy', faults: [null] };
const nonsense: Plan = {
  kind: 'nonsense',
  faults: [
    ...believable.flatMap((name, rank) => Array<string>(3).fill(`lie=${name}@/tickers/${popular[rank]}`)),
    ...lies.map((name) => `lie=${name}`),
    ...['garbage', 'html=200', 'html=403', 'empty', 'wrongshape', 'truncate'],
  ],
};
const outageOf = (...faults: string[]): Plan => ({ kind: 'outage', faults });

/** A pause after failures may last longer than a phase: it is over when the next outage begins. */
const plans: readonly Plan[] = [
  healthy,
  outageOf('status=500', 'status=503', 'status=500', 'status=503', 'status=500'),
  healthy,
  nonsense,
  healthy,
  outageOf('hang', 'drop', 'hang', 'drop', 'hang'),
  healthy,
  nonsense,
];

export const SOAK_MS = plans.length * PHASE_MS;

/** Leads the provider through all phases and returns when the last one is over. */
export async function liveThrough(provider: SimulatedSource): Promise<Phase[]> {
  const startedAt = Date.now();
  const until = (part: number) => sleep(Math.max(0, startedAt + part * PHASE_MS - Date.now()));
  const phases: Phase[] = [];
  for (const [number, { kind, faults }] of plans.entries()) {
    const from = Date.now();
    const before = provider.calls.total;
    let beforeLate = before;
    const late = setTimeout(() => {
      beforeLate = provider.calls.total;
    }, KNOWN_AFTER_MS);
    const told: { fault: string | null; from: number }[] = [];
    for (const [slot, fault] of faults.entries()) {
      provider.setFault(fault);
      told.push({ fault, from: Date.now() });
      await until(number + (slot + 1) / faults.length);
    }
    clearTimeout(late);
    const after = provider.calls.total;
    const upstream = { upstream: after - before, upstreamLate: after - beforeLate };
    phases.push({ kind, faults: told, from, to: Date.now(), ...upstream });
  }
  provider.setFault(null);
  return phases;
}

/** The faults that were in force at some time between two moments. */
export function faultsBetween(phases: readonly Phase[], from: number, to: number): (string | null)[] {
  const told = phases.flatMap(({ faults }) => faults);
  return told
    .filter((one, index) => one.from <= to && (told[index + 1]?.from ?? Infinity) >= from)
    .map(({ fault }) => fault);
}
