import { afterEach, expect, it } from 'vitest';
import { type SimulatedProvider, startSimulatedProvider } from '../../local/provider/index.ts';
import { openCoordination } from '../../shared/coordination/coordination.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { history } from '../../shared/marketdata/history.ts';
import { prepareHistory } from '../../shared/marketdata/upstream-rows.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client/client.ts';
import { errorCodec } from '../../shared/providers/client/error-codec.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika/index.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();
let provider: SimulatedProvider | undefined;
afterEach(() => provider?.close());

it('a container that is prepared gives what another has asked for, and asks nobody', async () => {
  const simulated = await startSimulatedProvider({});
  provider = simulated;
  const open = await newTable();
  const container = (table: SharedTable) =>
    createClient(coinpaprika, parseEnvironment({ COINPAPRIKA_BASE_URL: simulated.url }), {
      coordinate: async (environment, of) => openCoordination(environment, of, errorCodec, table),
    });
  const window = windowOf({ interval: '24h', limit: 30 }, Date.now());
  const query = { id: 'btc-bitcoin', quote: 'usd' as const, window };
  const patience = { deadline: Date.now() + 10_000, staleWaitMs: 2000 };
  const { candles } = await history(container(open()), query, patience);
  const asked = simulated.calls.total;

  let looks = 0;
  const counted = hindered(open(), async () => {
    looks += 1;
  });
  const prepared = container(counted);
  await prepareHistory(prepared, query);
  const before = looks;

  expect((await history(prepared, query, patience)).candles).toEqual(candles);
  expect({ looks, asked: simulated.calls.total }).toEqual({ looks: before, asked });
  expect(before).toBeGreaterThan(0);
});
