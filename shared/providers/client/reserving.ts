import { budgetUsedUp, type Denial, type Grant } from '../../coordination/quota.ts';
import type { Transport } from '../../platform/transport.ts';

/** The transport with each single request reserved in the budget before it is sent; 429 if that is used up. */
export function reserving(transport: Transport, reserveQuota: () => Promise<Grant | Denial>): Transport {
  return {
    async get(path, timeoutMs) {
      const deadline = Date.now() + timeoutMs;
      const reserved = await reserveQuota();
      if (!reserved.allowed) throw budgetUsedUp(reserved);
      return transport.get(path, Math.max(1, deadline - Date.now()));
    },
  };
}
