import { type Loopback, respondJson, startLoopback } from '../../pipeline/loopback.ts';

/** A server that speaks the Almanac's protocol and knows one coin. */
export async function startAlmanac(coinId: string): Promise<Loopback> {
  return startLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://almanac');
    const isKnown = searchParams.get('of') === coinId;
    const json = pathname === '/past' ? past(searchParams) : quote(coinId);
    respondJson(isKnown ? json : { problem: 'no such coin' })(request, response);
  });
}

function quote(of: string) {
  return { of, symbol: 'BTC', usd: '84000.5', at: Math.floor(Date.now() / 1000) };
}

function past(query: URLSearchParams) {
  const [from = 0, to = 0, step = 1] = ['from', 'to', 'step'].map((name) => Number(query.get(name)));
  const times = Array.from({ length: Math.round((to - from) / step) }, (_, n) => from + n * step);
  return { pairs: times.map((time) => [time, String(80_000 + (time % 1_000))]) };
}
