import { adapterEndpoint } from '../../../shared/http/adapter.ts';
import { ownShape } from '../../../shared/http/middleware/envelope.ts';
import { currentSnapshot } from '../../../shared/marketdata/store/current-snapshot.ts';
import { atInit } from '../../../shared/platform/waiting.ts';
import { contentTypes, type Format } from '../formats/content.ts';
import { beancount, ledger } from '../formats/ledgers.ts';
import { historyCsv, historyLedger } from '../history.ts';
import { type ExportRequest, pricesCsv, pricesLedger, pricesPrometheus } from '../prices.ts';
import { route } from './route.ts';

/** The handler that returns a list as a file of its format. */
function file(list: 'prices' | 'history', format: Format, text: (request: ExportRequest) => Promise<string>) {
  return async (request: ExportRequest): Promise<string> => {
    const content = await text(request);
    request.headers['content-type'] = contentTypes[format];
    request.headers['content-disposition'] = `inline; filename="${list}.${format}"`;
    return content;
  };
}

export const handler = adapterEndpoint(
  route,
  {
    'prices-csv': file('prices', 'csv', pricesCsv),
    'prices-ledger': file('prices', 'ledger', (request) => pricesLedger(request, ledger)),
    'prices-beancount': file('prices', 'beancount', (request) => pricesLedger(request, beancount)),
    'prices-prom': file('prices', 'prom', pricesPrometheus),
    'history-csv': file('history', 'csv', historyCsv),
    'history-ledger': file('history', 'ledger', (request) => historyLedger(request, ledger)),
    'history-beancount': file('history', 'beancount', (request) => historyLedger(request, beancount)),
  },
  ownShape,
);

await atInit(currentSnapshot);
