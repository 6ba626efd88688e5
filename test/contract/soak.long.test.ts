import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { route } from '../../functions/marketdata/ticker/route.ts';
import { Random } from '../../registry-layer/simulated/names.ts';
import { type Answer, DOCUMENTED, isEnvelope, type Service, startService } from './service.ts';
import { type Asked, everythingOf, exists, pathOf, popular, requests } from './soak-load.ts';
import { faultsBetween, liveThrough, type Phase, SOAK_MS } from './soak-phases.ts';
import { type Limits, provenanceOf, untruthsOf } from './soak-truth.ts';

const SEED = 2;
/** Between two requests, at random: about eleven a second. */
const GAP_MS = { from: 40, to: 140 };
/** Each asks for less than the limit of a minute, whichever containers it meets. */
const CLIENTS = 24;
const CONTAINERS = 8;
const TICKER_SECONDS = 1;
const UPSTREAM_SECONDS = 3;
const DAY_MS = 86_400_000;
/** Coins that nobody knows yet fail as long as the pause after an outage outlasts it. */
const MOST_FAILED_PERCENT = 2;
/** Each container of both functions may be asking, and once more, when an outage begins. */
const MOST_UPSTREAM = 2 * CONTAINERS * 2;
/** One try, and its repetition. */
const MOST_UPSTREAM_LATE = 2;

/** An answer as it was judged when it came. Times in milliseconds since the epoch. */
interface Judged {
  readonly asked: Asked;
  readonly status: number;
  readonly quality: string | undefined;
  readonly error: string | undefined;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly isEnvelope: boolean;
  readonly untruths: readonly string[];
}

let service: Service | undefined;
afterAll(() => service?.local.close());

async function start(): Promise<Service> {
  service = await startService({
    shared: true,
    containers: CONTAINERS,
    env: {
      ORIGIN_SECRET: 'origin-secret',
      TICKER_FRESH_SECONDS: String(TICKER_SECONDS),
      UPSTREAM_TIMEOUT_MS: String(UPSTREAM_SECONDS * 1000),
      UPSTREAM_MONTHLY_BUDGET: '900000000',
      UPSTREAM_CLIENT_PERCENT: '100',
    },
  });
  return service;
}

/** So close to midnight nobody knows which day pays, and nothing is asked upstream. */
async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < SOAK_MS + 90_000) await sleep(leftMs + 10_000);
}

const headersOf = (viewer: number) => ({
  'x-origin-secret': 'origin-secret',
  'cloudfront-viewer-address': `198.51.100.${viewer}:4711`,
});

/** Asks for what is popular until it is known: how a busy machine begins is no part of a provider's life. */
async function begin({ get }: Service): Promise<void> {
  for (const asked of everythingOf(popular)) {
    const status = async () => (await get(pathOf(asked), { headers: headersOf(CLIENTS) })).status;
    await expect.poll(status, { interval: 1_000 }).toBe(200);
  }
}

async function ask({ get }: Service, asked: Asked, viewer: number, limits: Limits): Promise<Judged> {
  const headers = headersOf(viewer);
  const sentAt = Date.now();
  const answer = await get(pathOf(asked), { headers }).catch(
    (error: unknown): Answer => ({ status: 0, headers: {}, body: { error: String(error) } }),
  );
  const answeredAt = Date.now();
  const isWhole = isEnvelope(answer);
  const isTold = isWhole && answer.status === 200;
  return {
    asked,
    status: answer.status,
    quality: provenanceOf(answer).quality,
    error: (answer.body as { error?: string }).error,
    sentAt,
    answeredAt,
    isEnvelope: isWhole,
    untruths: isTold ? untruthsOf({ asked, answer, sentAt, answeredAt }, limits) : [],
  };
}

/** Asks until the phases are over. */
async function load(to: Service, limits: Limits, isOver: () => boolean): Promise<Judged[]> {
  const random = new Random(SEED);
  const answers: Promise<Judged>[] = [];
  let at = Date.now();
  for (const asked of requests(SEED)) {
    if (isOver()) break;
    answers.push(ask(to, asked, answers.length % CLIENTS, limits));
    at += GAP_MS.from + random.next() * (GAP_MS.to - GAP_MS.from);
    await sleep(Math.max(0, at - Date.now()));
  }
  return Promise.all(answers);
}

function isWithin({ sentAt, answeredAt }: Judged, { from, to }: Phase, afterMs = 0): boolean {
  return sentAt >= from + afterMs && answeredAt <= to;
}

/** A ticker that says it is fresh when nobody can have got one for longer than it stays so. */
function isFromNowhere(answer: Judged, outages: readonly Phase[]): boolean {
  if (answer.asked.chart || answer.quality !== 'exact') return false;
  return outages.some((outage) => isWithin(answer, outage, (TICKER_SECONDS + UPSTREAM_SECONDS) * 1000));
}

it('a provider that comes and goes for two minutes is told from a healthy one by stale answers, and by no lie', {
  timeout: 450_000,
}, async () => {
  await awayFromMidnight();
  const running = await start();
  const limits = { startedAt: Date.now(), tickerSeconds: TICKER_SECONDS, upstreamSeconds: UPSTREAM_SECONDS };
  await begin(running);
  let isOver = false;
  const loading = load(running, limits, () => isOver);

  const phases = await liveThrough(running.provider);
  isOver = true;
  const answers = await loading;

  const told = ({ asked, sentAt, answeredAt, status, error, untruths }: Judged) => ({
    path: pathOf(asked),
    atSeconds: (sentAt - limits.startedAt) / 1000,
    tookMs: answeredAt - sentAt,
    faults: faultsBetween(phases, sentAt, answeredAt).join(),
    status,
    error,
    untruths,
  });
  const allThat = (isSo: (answer: Judged) => boolean) => answers.filter(isSo).map(told);
  const outages = phases.filter(({ kind }) => kind === 'outage');
  const healthy = answers.filter((answer) =>
    phases.some((phase) => phase.kind === 'healthy' && isWithin(answer, phase)),
  );
  const failed = healthy.filter(({ asked, status }) => status !== (exists(asked) ? 200 : 404));
  const lies = allThat((answer) => answer.untruths.length > 0 || isFromNowhere(answer, outages));
  const figures = {
    requests: answers.length,
    healthy: healthy.length,
    failedHealthyPercent: Number(((100 * failed.length) / healthy.length).toFixed(2)),
    stale: answers.filter(({ quality }) => quality === 'stale').length,
    upstreamInOutages: outages.map(({ upstream }) => upstream),
    upstreamLateInOutages: outages.map(({ upstreamLate }) => upstreamLate),
    lies: lies.length,
  };
  console.log(JSON.stringify(figures));

  expect(lies).toEqual([]);
  expect(allThat(({ isEnvelope }) => !isEnvelope)).toEqual([]);
  expect(allThat(({ status }) => !DOCUMENTED.includes(status))).toEqual([]);
  expect(allThat(({ asked, status }) => status === 404 && exists(asked))).toEqual([]);
  expect(allThat(({ error }) => error?.includes("this client's") === true)).toEqual([]);
  const timeoutMs = route.timeoutSeconds * 1000;
  expect(allThat(({ sentAt, answeredAt }) => answeredAt - sentAt > timeoutMs)).toEqual([]);
  expect(figures.failedHealthyPercent, JSON.stringify(failed.map(told))).toBeLessThanOrEqual(
    MOST_FAILED_PERCENT,
  );
  expect(Math.max(...figures.upstreamInOutages)).toBeLessThanOrEqual(MOST_UPSTREAM);
  expect(Math.max(...figures.upstreamLateInOutages)).toBeLessThanOrEqual(MOST_UPSTREAM_LATE);
  // Otherwise hardly anything was tested.
  expect(figures.healthy).toBeGreaterThan(400);
  expect(figures.stale).toBeGreaterThan(100);
});
