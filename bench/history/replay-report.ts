import { job } from '../../functions/marketdata/jobs/roll-up/job.ts';
import type { Compared } from './compare.ts';
import { type DayFigures, OLD_SPACE_MB, type Replayed, type Simulation, type Way } from './replay.ts';

const { memoryMb: MEMORY_MB, timeoutSeconds: TIMEOUT_SECONDS } = job;
/** A function with 1,769 MB has a whole core. */
const SHARE = MEMORY_MB / 1769;

const ways: readonly (readonly [way: Way, text: string])[] = [
  ['at once', 'in one run after it, objects in files'],
  ['by half hours', 'in 50 runs, one every half hour, objects in files'],
  ['deployed', 'in one run of the deployed bundle in a fresh process, S3 over HTTP'],
];
const integer = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Markdown: what was stored, the days by the way in which they were rolled up, and the targets. */
export function replayReport(
  { coins, listed, days }: Simulation,
  { rolledUp, runs, samples, samplesBytes, refused }: Replayed,
  compared: Compared,
): string {
  const of = (way: Way) => rolledUp.filter((day) => day.way === way);
  const rows = ways.filter(([way]) => of(way).length > 0).map(([way, text]) => row(text, of(way)));
  return [
    `${integer.format(days)} days of ${integer.format(coins)} coins, ${integer.format(Math.min(coins, listed))} of them in the provider’s list: ${integer.format(runs)} runs, ${integer.format(samples)} samples, ${(samplesBytes / 1e6).toFixed(0)} MB of them; ${integer.format(refused)} second runs of a slot, all refused.`,
    '',
    '| a day, rolled up | days | wall ms, median | worst | CPU ms, median | worst | CPU ms of the worst run | peak MB | GETs | PUTs | lists | MB read | MB written |',
    '| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...rows,
    '',
    `The roll-up is a process of its own with ${OLD_SPACE_MB} MB for V8’s old space; peak is all that it ever had in memory (\`maxRSS\`). Samples and candles are not in it: they are files, of which the samples and the hours of the last 35 days are kept. While it works on a day, another process stores the samples of the next one. Calls and bytes are means of a day.`,
    '',
    ...verdicts(rolledUp, compared),
  ].join('\n');
}

function row(text: string, days: readonly DayFigures[]): string {
  const sorted = (name: 'wallMs' | 'cpuMs') => days.map((day) => day[name]).sort((a, b) => a - b);
  const medianAndWorst = (name: 'wallMs' | 'cpuMs') => {
    const all = sorted(name);
    return [all[Math.floor(all.length / 2)] ?? Number.NaN, all.at(-1) ?? Number.NaN];
  };
  const mean = (name: 'gets' | 'puts' | 'lists' | 'bytesRead' | 'bytesWritten') =>
    days.reduce((sum, day) => sum + day[name], 0) / days.length;
  const most = (name: 'worstCpuMs' | 'peakBytes') => Math.max(...days.map((day) => day[name]));
  const bytesRead = mean('bytesRead');
  const cells = [
    text,
    integer.format(days.length),
    ...[...medianAndWorst('wallMs'), ...medianAndWorst('cpuMs')].map((ms) => integer.format(ms)),
    integer.format(most('worstCpuMs')),
    (most('peakBytes') / 1e6).toFixed(0),
    ...[mean('gets'), mean('puts'), mean('lists')].map((count) => integer.format(count)),
    bytesRead > 0 ? (bytesRead / 1e6).toFixed(0) : '',
    (mean('bytesWritten') / 1e6).toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}

function verdicts(rolledUp: readonly DayFigures[], { days, hours, differences, first }: Compared): string[] {
  const peakMb = Math.max(...rolledUp.map(({ peakBytes }) => peakBytes)) / 1e6;
  const worst = Math.max(...rolledUp.map(({ worstCpuMs }) => worstCpuMs)) / 1000;
  const seconds = worst / SHARE;
  const held = `${integer.format(days)} daily and ${integer.format(hours)} hourly candles held against a plain fold of the same samples`;
  return [
    `- ${peakMb <= MEMORY_MB ? 'reached' : 'MISSED '}: the roll-up within ${MEMORY_MB} MB: ${peakMb.toFixed(0)} at most`,
    `- ${seconds <= TIMEOUT_SECONDS ? 'reached' : 'MISSED '}: a whole day in one run within ${TIMEOUT_SECONDS} s: ${seconds.toFixed(0)} s of the ${SHARE.toFixed(2)} of a core that ${MEMORY_MB} MB have, for ${worst.toFixed(1)} s of processor time at most`,
    `- ${differences === 0 ? 'reached' : 'MISSED '}: ${held}, ${integer.format(differences)} differences${first ? `, such as ${first}` : ''}`,
  ];
}
