import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ChosenProvider, chooseProvider, type ProviderChoice } from './provider-choice.ts';

async function liveServer(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end('{}')).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.on('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // a TCP address is an object
}

/** Stops the chosen provider with the test. */
async function chooseForTest(...choice: Parameters<typeof chooseProvider>): Promise<ChosenProvider> {
  const chosen = await chooseProvider(...choice);
  onTestFinished(async () => {
    await Promise.all([chosen.simulated?.close()]);
  });
  return chosen;
}

test('a named address is used without a request to it', async () => {
  const local = { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' };
  expect(await chooseProvider({}, local)).toEqual({ kind: 'given', url: 'http://127.0.0.1:9/v1' });
  expect(await chooseProvider({ mode: 'live' }, local)).toEqual({
    kind: 'live',
    url: 'http://127.0.0.1:9/v1',
  });
});

test('the live provider is chosen if it answers, otherwise the simulated one with the reason', async () => {
  // A busy machine may take longer than the wait.
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  onTestFinished(() => timeout.mockRestore());
  const liveUrl = await liveServer(200);
  expect(await chooseProvider({ liveUrl }, {})).toEqual({ kind: 'live', url: liveUrl });
  const chosen = await chooseForTest({ liveUrl: await liveServer(503) }, {});
  expect(chosen).toMatchObject({ kind: 'simulated', reason: expect.stringContaining('did not answer') });
  expect((await fetch(`${chosen.url}/tickers/btc-bitcoin`)).status).toBe(200);
});

test('the simulated provider is started on demand even if an address is set', async () => {
  const chosen = await chooseForTest(
    { mode: 'simulated' },
    { COINPAPRIKA_BASE_URL: 'http://127.0.0.1:9/v1' },
  );
  expect(chosen.kind).toBe('simulated');
});

test('with the simulated provider all other sources are simulated too, with their faults', async () => {
  const choice: ProviderChoice = { mode: 'simulated', simulated: { faults: { binance: 'status=451' } } };
  const { simulated } = await chooseForTest(choice, {});
  const statuses = await Promise.all(
    [
      '/coins',
      '/products',
      '/0/public/Time',
      '/api/v3/ping',
      '/prices/current/bsc:0x1',
      '/coins/list',
      '/eurofxref-daily.xml',
      '/rates?quotes=USD',
    ].map(async (path, index) => {
      const url = Object.values(simulated?.environment ?? {})[index];
      return (await fetch(url + path)).status;
    }),
  );
  expect(Object.keys(simulated?.environment ?? {})).toEqual([
    'COINPAPRIKA_BASE_URL',
    ...['COINBASE_BASE_URL', 'KRAKEN_BASE_URL', 'BINANCE_BASE_URL', 'DEFILLAMA_BASE_URL'],
    ...['COINGECKO_BASE_URL', 'ECB_BASE_URL', 'FRANKFURTER_BASE_URL'],
  ]);
  expect(statuses).toEqual([200, 200, 200, 451, 200, 200, 200, 200]);
});
