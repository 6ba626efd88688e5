import type { Api } from '../../commands/api.ts';
import { findCoin } from '../../commands/coins.ts';
import { notFound, requestFailure } from '../../commands/failure.ts';
import type { RunContext } from '../../commands/run.ts';
import { runChart } from '../../commands/run-chart.ts';
import { defaultProtocol } from '../../commands/sources.ts';
import type { PanelOptions } from './panel.ts';

/** Requests of the cards. `freshApi` asks past the browser's cache, which would give the same answer again until its lifetime is over. */
export function cardRequests(
  context: RunContext,
  freshApi: Api,
): Pick<PanelOptions, 'load' | 'find' | 'tickers' | 'askAll' | 'ask'> {
  const { tickers } = context;
  const fresh = { ...context, api: freshApi };
  const askAll = (ids: readonly string[]) => tickers.askAll(freshApi, ids);
  const ask = (id: string) => tickers.ask(freshApi, id);

  /** The prices of a card's coins, also of one that the request for several does not have. Never rejects. */
  async function askAnew(ids: readonly string[]): Promise<void> {
    const answers = await askAll(ids).catch(() => []);
    const missing = answers.flatMap((answer) => ('error' in answer ? [answer.id] : []));
    await Promise.all(missing.map((id) => ask(id).catch(() => undefined)));
  }

  return {
    tickers,
    askAll,
    ask,
    async load({ coin, compared, command }, anew) {
      if (anew === 'nothing') return await runChart(coin, command, context, compared);
      const isPriced = anew === 'all' && command.range.quote !== 'btc';
      const [result] = await Promise.all([
        runChart(coin, command, fresh, compared),
        isPriced ? askAnew([coin, ...compared].map(({ id }) => id)) : undefined,
      ]);
      return result;
    },
    async find(symbol) {
      const command = { name: 'price', symbols: [symbol], protocol: defaultProtocol } as const;
      try {
        const coin = await findCoin(context.api, symbol);
        return coin ?? notFound(symbol, command);
      } catch (error) {
        return requestFailure(error, command, context);
      }
    },
  };
}
