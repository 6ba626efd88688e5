/** Our own history: what a warm chart takes, and a year of samples through the real code. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { conditions } from './conditions.ts';
import { chartsReport, measureCharts } from './history/charts.ts';
import { compare } from './history/compare.ts';
import { replay } from './history/replay.ts';
import { replayReport } from './history/replay-report.ts';

/** A leap year's first of January would do as well; months begin and end within the days that are simulated. */
const FROM = Date.UTC(2026, 0, 1);
const dist = join(import.meta.dirname, '../dist');
const bundleOf = (id: string) => join(dist, 'functions', id, 'index.mjs');

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    rounds: { type: 'string', default: '9' },
    coins: { type: 'string', default: '2000' },
    listed: { type: 'string', default: '2000' },
    days: { type: 'string', default: '365' },
  },
});
const [rounds, coins, days] = [Number(values.rounds), Number(values.coins), Number(values.days)];
const listed = Number(values.listed);
if (
  ![rounds, coins, listed, days].every((number) => Number.isSafeInteger(number) && number >= 0) ||
  coins === 0
) {
  process.stderr.write('--rounds, --coins, --listed and --days take whole numbers, --coins from 1 on\n');
  process.exit(2);
}
if (!existsSync(bundleOf('marketdata-ohlcv'))) {
  process.stderr.write('Nothing is built, and the deployed functions are measured: npm run build\n');
  process.exit(1);
}

const machine = conditions(
  `npm run bench history -- --rounds ${rounds} --coins ${coins} --listed ${listed} --days ${days}`,
);
const folder = await mkdtemp(join(tmpdir(), 'marketdata-bench-'));
try {
  if (rounds > 0) await printCharts();
  if (days > 0) await printReplay();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function printCharts(): Promise<void> {
  const figures = await measureCharts({ bundle: bundleOf('marketdata-ohlcv'), dist, rounds, onRound });
  console.log(`${machine}\n\n${chartsReport(figures, rounds)}\n`);
}

async function printReplay(): Promise<void> {
  const simulation = { coins, listed, days, from: FROM };
  const bundle = bundleOf('marketdata-roll-up');
  const replayed = await replay(simulation, { folder, bundle, onDay });
  const compared = compare(simulation, folder, onCoin);
  console.log(`${machine}\n\n${replayReport(simulation, replayed, compared)}`);
  if (compared.differences > 0) process.exitCode = 1;
}

function onRound(round: number): void {
  tell(`round ${round} of ${rounds}`);
}

function onDay(day: number): void {
  tell(`day ${day} of ${days}`);
}

function onCoin(coin: number): void {
  if (coin % 100 === 0 || coin === coins) tell(`coin ${coin} of ${coins} compared`);
}

function tell(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r${text}   ` : `${text}\n`);
}
