import { span } from '../commands/format/text.ts';
import type { FailureReason, FailureResult } from '../commands/result.ts';

/** Why a command of the terminal alone failed, in the lines of a message. */
export function failed(message: string, reason: FailureReason = 'failed'): FailureResult {
  const lines = message.split('\n').map((text) => [span(text, 'error')]);
  return { kind: 'failure', reason, lines, isUnreachable: false };
}
