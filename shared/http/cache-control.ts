/**
 * The `cache-control` of a response that caches may serve for this many seconds and never longer: by default CloudFront would
 * serve it for as long as the API fails (RFC 5861, section 4; RFC 9111, section 5.2.2.2).
 */
export function publicFor(seconds: number): string {
  return `public, max-age=${seconds}, must-revalidate, stale-if-error=0`;
}
