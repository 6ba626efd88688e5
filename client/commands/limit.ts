import type { ApiFailure } from '../sdk/failure.ts';
import { clean } from './format/text.ts';

/**
 * Whose limit a 429 was, in a sentence, from the service's words (`Rate limit exceeded: the provider's (One); try
 * again in 60 s`) and its `RateLimit-*` headers; undefined if neither says so.
 */
export function limitText({ message, isAnswer, headers }: ApiFailure): string | undefined {
  const [, whose = ''] = /^Rate limit exceeded: (.+?)(?:; try again in \d+ s)?$/.exec(clean(message)) ?? [];
  const [, provider] = /^the provider's \((.+)\)$/.exec(whose) ?? [];
  if (provider) return `The limit is ${provider}'s own, for all that this service asks it.`;
  if (whose === "the service's upstream budget") {
    return "The limit is this service's own: its budget of requests to providers is used up for now.";
  }
  if (whose.startsWith("this client's share")) {
    return "The limit is this client's share of the service's requests to providers, for this hour.";
  }
  const requests = /^this client's, (\d+) /.exec(whose)?.[1] ?? clientLimit(headers);
  if (requests) return `The limit is this client's: ${requests} requests per minute.`;
  if (whose) return `The limit is ${whose.replace(/^the limit of /, 'that of ')}.`;
  // A gateway's or a firewall's refusal has no envelope.
  return isAnswer ? undefined : 'The limit is that of a gateway in front of the service.';
}

/** The requests of a minute, if none of them is left. */
function clientLimit(headers: Headers | undefined): string | undefined {
  return headers?.get('ratelimit-remaining') === '0'
    ? (headers.get('ratelimit-limit') ?? undefined)
    : undefined;
}
