/**
 * What a command prints for a command line that it does not understand: the error and where its help is. `usage` is that
 * help, and begins with `Usage: npm run <command>`.
 */
export function wrongUsage(error: unknown, usage: string): string {
  const [, command = ''] = /^Usage: (npm (?:run )?\w+)/.exec(usage) ?? [];
  return `${error instanceof Error ? error.message : error}\nSee ${command} -- --help`;
}
