import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobs } from '../functions/jobs.ts';
import type { Job } from '../shared/platform/job.ts';
import type { ProcessOutcome } from './payload.ts';
import { runStoreJobs, storeJobsOf } from './store-jobs.ts';
import type { TemplateFunction } from './template.ts';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 10, 22, 7, 30);

function functionOf(name: string): TemplateFunction {
  return {
    id: name,
    name,
    handler: '',
    memoryMb: 128,
    timeoutSeconds: 1,
    environment: {},
    references: {},
    codeFolder: '',
    layerFolders: [],
  };
}
const snapshot = functionOf('MarketdataSnapshotFunction');
const others = ['MarketdataRegistryFunction', 'MarketdataTicker'].map(functionOf);

describe('the jobs of the local store', () => {
  let ran: string[];
  let lines: string[];
  let outcome: ProcessOutcome['kind'];

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    ran = [];
    lines = [];
    outcome = 'answer';
  });
  afterEach(() => void vi.useRealTimers());

  const rollUp = {
    fn: functionOf('MarketdataRollUpFunction'),
    job: { publishes: ['history'], everyMinutes: 10 },
  };
  const run = (snapshotDueAt = 0) => {
    const jobs = storeJobsOf([rollUp.fn, ...others, snapshot], ['snapshot', 'history']);
    const [first] = jobs;
    if (!first) throw new Error('the snapshot has no job');
    return runStoreJobs([first, { ...rollUp, job: { ...first.job, ...rollUp.job } } as typeof first], {
      invoke: async ({ name }) => {
        ran.push(`${name} begins`);
        await Promise.resolve();
        ran.push(`${name} ends`);
        return { kind: outcome } as ProcessOutcome; // only its kind is read
      },
      local: {},
      log: (line) => lines.push(line),
      snapshotDueAt,
    });
  };
  const round = [snapshot, rollUp.fn].flatMap(({ name }) => [`${name} begins`, `${name} ends`]);

  it('are those that publish there', () => {
    const names = storeJobsOf([...others, snapshot], ['snapshot']).map(({ fn }) => fn.name);
    expect(names).toEqual(['MarketdataSnapshotFunction']);
  });

  it('run after the jobs they depend on, otherwise in the order of the table', () => {
    const functions = jobs.map(({ name }) => functionOf(`${name.replace(/[/-]/g, '')}Function`));
    const [first, ...later] = storeJobsOf(functions, ['snapshot', 'history', 'sources']);
    const isFinding = ({ publishes }: Job) => publishes?.includes('sources') ?? false;
    const last = later.pop();
    const finding = later.map(({ job }) => job).filter(isFinding);
    const isFolding = ({ publishes = [] }: Job) => publishes.every((kind) => kind === 'history');
    expect(first?.job.name).toBe('marketdata/snapshot');
    expect(last?.job.name).toBe('marketdata/registry');
    expect(finding).toEqual(jobs.filter((job) => isFinding(job) && job !== last?.job));
    expect(later.slice(-3).map(({ job }) => job)).toEqual(
      jobs.filter((job) => job.publishes && isFolding(job)),
    );
  });

  it('price markets once they are mapped, and then every minute', async () => {
    const functions = jobs.map(({ name }) => functionOf(`${name.replace(/[/-]/g, '')}Function`));
    const stop = await runStoreJobs(storeJobsOf(functions, ['snapshot', 'sources']), {
      invoke: async ({ name }) => {
        if (/markets|quotes|snapshot/.test(name)) ran.push(name.replace(/^marketdata|Function$/g, ''));
        return { kind: 'answer' } as ProcessOutcome; // only its kind is read
      },
      ...{ local: {}, log: () => {}, snapshotDueAt: 0 },
    });
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    expect(ran).toEqual(['snapshot', 'markets', 'quotes', 'quotes', 'quotes']);
    stop();
  });

  it('run soon and at their intervals, the snapshot’s first, never two at once', async () => {
    const stop = await run();
    expect(ran).toEqual(round.slice(0, 2));
    await vi.advanceTimersByTimeAsync(2000);
    expect(ran).toEqual(round);
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(ran).toEqual([...round, ...round]);
    stop();
    await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
    expect(ran).toHaveLength(8);
  });

  it('fetch no snapshot while the published one is current', async () => {
    const stop = await run(NOW + 4 * MINUTE_MS);
    await vi.advanceTimersByTimeAsync(4 * MINUTE_MS - 1);
    expect(ran).toEqual(round.slice(2));
    await vi.advanceTimersByTimeAsync(1);
    expect(ran).toEqual([...round.slice(2), ...round.slice(0, 2)]);
    stop();
  });

  it.each([
    ['8 hours', 489],
    ['48 hours', 2_889],
    ['a minute', 11],
  ])('replace a snapshot at once that a clock %s ahead has published', async (_ahead, dueMinutes) => {
    const stop = await run(NOW + dueMinutes * MINUTE_MS);
    expect(ran).toEqual(round.slice(0, 2));
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(ran.filter((line) => line === round[0])).toHaveLength(2);
    stop();
  });

  it('print a line if they published nothing', async () => {
    outcome = 'timed-out';
    const stop = await run();
    await vi.advanceTimersByTimeAsync(2000);
    expect(lines).toEqual([
      '[MarketdataSnapshotFunction] published nothing (timed-out)',
      '[MarketdataRollUpFunction] published nothing (timed-out)',
    ]);
    stop();
  });
});
