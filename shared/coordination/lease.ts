import { numberIn, type Row, type SharedTable, textIn } from './table.ts';

/** How long a lease holds without a sign of life. */
export const LEASE_MS = 2_000;
const SIGN_OF_LIFE_MS = 600;
/** By how much the clocks of two instances may differ, twice two seconds, and a little more. */
const MAX_SKEW_MS = 5_000;

/** Says whether the holder of a row's lease is dead, as seen by one waiting request. */
export class LeaseWatch {
  readonly #now: () => number;
  #seen: string | undefined;
  #since = 0;
  /** The lease that the request waits for. */
  token: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * True where the lease shows no sign of life for its length by this instance's own stopwatch, or is so long over
   * that no difference of clocks explains it. Clocks of two instances are compared in no other way.
   */
  isDead(row: Row): boolean {
    const [token, until] = [textIn(row, 'lease') ?? '', numberIn(row, 'leaseUntil') ?? 0];
    const sign = `${token}/${until}`;
    if (sign !== this.#seen) [this.#seen, this.#since] = [sign, performance.now()];
    this.token = token;
    return this.#now() > until + MAX_SKEW_MS || performance.now() - this.#since >= LEASE_MS;
  }
}

/** Shows signs of life for a lease until stopped, or until `deadline` (ms since the epoch). */
export function keepAlive(
  table: SharedTable,
  key: string,
  token: string,
  { deadline, now }: { readonly deadline: number; readonly now: () => number },
): () => void {
  const timer = setInterval(() => {
    if (now() >= deadline) return clearInterval(timer);
    const change = {
      update: 'SET #leaseUntil = :until',
      condition: '#lease = :token',
      values: { ':until': now() + LEASE_MS, ':token': token },
    } as const;
    table.update(key, change).catch(() => {}); // then the lease runs out, and another asks as well
  }, SIGN_OF_LIFE_MS);
  return () => clearInterval(timer);
}
