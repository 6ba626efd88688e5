import { answerOnce } from '../../../shared/coordination/once.ts';
import { FAUCET_ROWS } from '../networks.ts';
import { type Faucet, type GrantData, type GrantRequest, grant, grantOf } from './faucet.ts';
import { findGrant } from './grants.ts';

interface Key {
  readonly route: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** See `answerOnce`. */
  readonly secret: string;
}

/**
 * `grant`, once for a key. A grant that was saved is answered again even if its instance died before it could say so;
 * of one that was not committed, the address's claim is left, which a repeated request takes over after ten seconds.
 * Throws as `grant` and `answerOnce` do.
 */
export function grantOnce(
  faucet: Faucet,
  request: Omit<GrantRequest, 'requestId'>,
  { route, key, secret }: Key,
  deadline: number,
): Promise<GrantData> {
  const { table } = faucet;
  const { client, network, address } = request;
  return answerOnce(
    { owner: FAUCET_ROWS, route, client, key, input: [network, address] },
    {
      run: (requestId) => grant(faucet, { requestId, ...request }, deadline),
      async recall(requestId) {
        const record = await findGrant(table, requestId);
        return record && grantOf(record);
      },
    },
    { table, secret, deadline },
  );
}
