import { span } from '../commands/format/text.ts';
import type { FailureReason } from '../commands/result.ts';
import { print } from './print.ts';
import type { Terminal } from './terminal.ts';

/** Tells why a command of the terminal alone failed, and returns its exit status. */
export function failed(message: string, reason: FailureReason, terminal: Terminal): number {
  const lines = message.split('\n').map((text) => [span(text, 'error')]);
  const failure = { kind: 'failure', reason, lines, isUnreachable: false } as const;
  return print(failure, { json: false, baseUrl: '' }, terminal);
}
