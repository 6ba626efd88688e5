/** The process of a container with one reading: a message is an event, which ends with the reading or after so many milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reading, readings } from './readings.ts';

export interface Event {
  readonly atMostMs: number;
}

export interface Answer {
  /** What was read; `unfinished` if the event ended before it. */
  readonly version: string | undefined;
  readonly error?: string;
}

const reading = readings[process.argv[2] as Reading]; // the test starts it with one of them

process.on('message', async ({ atMostMs }: Event) => {
  const version = reading().then(
    (version): Answer => ({ version }),
    (error: unknown): Answer => ({ version: undefined, error: String(error) }),
  );
  const ended = sleep(atMostMs, { version: 'unfinished' } satisfies Answer, { ref: false });
  process.send?.(await Promise.race([version, ended]));
});
process.send?.('ready');
