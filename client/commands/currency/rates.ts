import type { MarketdataRatesData } from '../../sdk/index.ts';
import type { Api } from '../api.ts';
import { lifetimeOf } from '../clock.ts';
import { type Provenance, provenanceOf } from '../provenance.ts';

export interface SessionRates {
  readonly data: MarketdataRatesData;
  readonly provenance: Provenance;
}

/** Asks for the rates, unless those at hand may still be used. Rejects as the client does, and forgets a failure. */
export type Rates = () => Promise<SessionRates>;

/** The rates of one session, asked for when they are first needed and kept for as long as their answer says. */
export function sessionRates(api: Pick<Api, 'rates'>, now: () => number): Rates {
  let kept: Promise<SessionRates> | undefined;
  let until = Number.POSITIVE_INFINITY;

  async function ask(): Promise<SessionRates> {
    try {
      const answer = await api.rates();
      until = now() + lifetimeOf(answer.headers);
      return { data: answer.data, provenance: provenanceOf(answer, now()) };
    } catch (error) {
      kept = undefined;
      throw error;
    }
  }

  return () => {
    if (!kept || now() >= until) {
      until = Number.POSITIVE_INFINITY; // whoever asks meanwhile waits for the same answer
      kept = ask();
    }
    return kept;
  };
}
