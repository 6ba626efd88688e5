import { createHmac } from 'node:crypto';
import { ApiError } from '../http/errors.ts';
import { IDEMPOTENCY_HEADER } from '../http/idempotency.ts';
import {
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  rowKey,
  type SharedTable,
  textIn,
  type Updated,
} from '../platform/table.ts';

/** A request that its caller may repeat. */
export interface KeyedRequest {
  /** Of the row: the route's domain. */
  readonly owner: string;
  readonly route: string;
  /** Two clients may give the same key without knowing of each other. */
  readonly client: string;
  /** The caller's own. */
  readonly key: string;
  /** The validated input in one spelling: what is another request, and what the same, is told by it. */
  readonly input: readonly string[];
}

export interface KeyOptions {
  readonly table: SharedTable;
  /** Keys the digests in the table, which hold nothing of the caller that could be read without it. */
  readonly secret: string;
  /** Of the function, in milliseconds since the epoch; a second after it the function has ended. */
  readonly deadline: number;
}

const KEEP_MS = 24 * 60 * 60 * 1000;
/** What a function has left after its deadline, and by how much the clocks of two instances may differ. */
const LEASE_AFTER_DEADLINE_MS = 5_000;

type Lookup =
  | { readonly state: 'taken' | 'busy' }
  | { readonly state: 'answered'; readonly answer: string }
  /** The run failed, or its lease is over. */
  | { readonly state: 'left'; readonly runId: string };

/** The row of one key: `run` (the id of the last one), `until` (its lease), `input` (a digest) and `answer`. */
export class KeyRow {
  readonly #table: SharedTable;
  readonly #key: string;
  readonly #input: string;
  readonly #leaseUntil: number;

  constructor({ owner, route, client, key, input }: KeyedRequest, { table, secret, deadline }: KeyOptions) {
    const digest = (...texts: readonly string[]) =>
      createHmac('sha256', secret).update(JSON.stringify(texts)).digest('hex');
    this.#table = table;
    this.#key = rowKey(owner, 'once', digest('key', route, client, key));
    this.#input = digest('input', ...input);
    this.#leaseUntil = deadline + LEASE_AFTER_DEADLINE_MS;
  }

  /** Takes the key for the run, if nobody has it. Throws 422 if another input has. */
  async take(runId: string): Promise<Lookup> {
    const now = Date.now();
    // An expired row may still be there.
    const isFree = `attribute_not_exists(#run) OR #${EXPIRY_ATTRIBUTE} <= :now`;
    const { applied, row } = await this.#lease(runId, now, isFree, { ':now': Math.floor(now / 1000) });
    const last = textIn(row, 'run') ?? '';
    // Refused because of itself: the write was repeated on a new connection.
    if (applied || last === runId) return { state: 'taken' };
    if (textIn(row, 'input') !== this.#input) throw otherInput();
    const answer = textIn(row, 'answer');
    if (answer !== undefined) return { state: 'answered', answer };
    return (numberIn(row, 'until') ?? 0) <= now ? { state: 'left', runId: last } : { state: 'busy' };
  }

  /** Takes the key from a run that is over; false if another was quicker. */
  async takeOver(previous: string, runId: string): Promise<boolean> {
    const isTheSame = '#run = :previous AND attribute_not_exists(#answer)';
    const { applied, row } = await this.#lease(runId, Date.now(), isTheSame, { ':previous': previous });
    return applied || textIn(row, 'run') === runId;
  }

  async store(runId: string, answer: string): Promise<void> {
    await this.#table.update(this.#key, {
      update: `SET #answer = :answer, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: '#run = :run',
      values: { ':answer': answer, ':expiry': expiryAt(Date.now() + KEEP_MS), ':run': runId },
    });
  }

  /** Ends the lease of a run that failed. Its id stays: what it spent is known by that alone. */
  async leave(runId: string): Promise<void> {
    await this.#table.update(this.#key, {
      update: 'SET #until = :zero',
      condition: '#run = :run',
      values: { ':zero': 0, ':run': runId },
    });
  }

  #lease(
    runId: string,
    now: number,
    condition: string,
    values: Readonly<Record<`:${string}`, string | number>>,
  ): Promise<Updated> {
    return this.#table.update(this.#key, {
      update: `SET #run = :run, #input = :input, #until = :until, #${EXPIRY_ATTRIBUTE} = :expiry REMOVE #answer`,
      condition,
      values: {
        ...values,
        ':run': runId,
        ':input': this.#input,
        ':until': this.#leaseUntil,
        ':expiry': expiryAt(now + KEEP_MS),
      },
    });
  }
}

function otherInput(): ApiError {
  return new ApiError(422, `This ${IDEMPOTENCY_HEADER} was used with other input; use a new one`);
}
