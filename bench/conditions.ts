import { availableParallelism, cpus, loadavg, release, type } from 'node:os';

/** Said by every table of figures about itself: machine, how busy it was, Node, date and command. */
export function conditions(command: string): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const date = new Date().toISOString().slice(0, 10);
  const [load = 0] = loadavg();
  const machine = `${model}, ${availableParallelism()} cores, load ${load.toFixed(1)}, ${type()} ${release()}`;
  return `${machine}, Node ${process.version}, ${date}, \`${command}\``;
}
