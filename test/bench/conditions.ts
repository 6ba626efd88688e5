import { availableParallelism, cpus, release, type } from 'node:os';

/** What a table of figures must say about itself: machine, Node, date and command. */
export function conditions(command: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const date = new Date().toISOString().slice(0, 10);
  return `${model}, ${availableParallelism()} cores, ${type()} ${release()}, Node ${process.version}, ${date}, \`${command}\``;
}
