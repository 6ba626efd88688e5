import { writeSync } from 'node:fs';
import { nodeEnvProblem, readSecret } from '../../platform/environment.ts';
import { ApiError } from '../errors.ts';
import type { PipelineMiddleware, PipelineRequest } from './pipeline-request.ts';
import { onlyHeader, secretComparison } from './secret-header.ts';

const API_KEY_HEADER = 'x-api-key';
const SECRET = 'CLIENT_API_KEY';
const PREVIOUS_SECRET = 'CLIENT_API_KEY_PREVIOUS';
const STDERR = 2;

/**
 * In production, refuses with 401 callers whose `x-api-key` is neither `CLIENT_API_KEY` nor, if that is set,
 * `CLIENT_API_KEY_PREVIOUS`; with 500 if `CLIENT_API_KEY` is not set. Outside production everybody passes, which is said
 * at the start if NODE_ENV looks like a slip of the pen.
 *
 * Ordering: after the check of the origin, before everything else: a caller without a key learns nothing more.
 */
export function authentication(): PipelineMiddleware {
  const problem = nodeEnvProblem(process.env.NODE_ENV);
  if (problem) writeSync(STDERR, `WARNING: ${problem}\n`);
  const isCurrentKey = secretComparison();
  const isPreviousKey = secretComparison();

  // Read at the first request: looking into the environment is a tenth of a warm one.
  let isProduction: boolean | undefined;
  let expected: string | undefined;
  let previous: string | undefined;

  const authenticateBefore = (request: PipelineRequest): void => {
    isProduction ??= process.env.NODE_ENV === 'production';
    if (!isProduction) return;
    if (expected === undefined) [expected, previous] = [readSecret(SECRET), process.env[PREVIOUS_SECRET]];
    const key = onlyHeader(request.event.headers, API_KEY_HEADER);
    const isCurrent = isCurrentKey(key, expected);
    // Both are compared, so that the time taken does not tell which of them was right.
    const isPrevious = isPreviousKey(key, previous);
    if (!isCurrent && !isPrevious) throw ApiError.unauthorized();
  };

  return { before: authenticateBefore };
}
