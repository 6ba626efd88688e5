/** The share of a processor that Lambda gives a function, enforced by the kernel: a cgroup with a quota. */
import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CpuShare {
  /** Limits the process and its threads to the share from now on. */
  holdBack(pid: number): void;
  /** Call it after the last process in it has ended. */
  close(): void;
}

/** A function with this much memory has a whole core (AWS Lambda Developer Guide, "Configure Lambda function memory"). */
const MB_OF_ONE_CORE = 1769;
const PERIOD_US = 20_000;

interface Cgroups {
  readonly folder: string;
  readonly limit: (quotaUs: number) => readonly (readonly [file: string, content: string])[];
}

/** Version 1 has a hierarchy for each controller, version 2 one for all (Linux, Documentation/admin-guide/cgroup-v2). */
const known: readonly Cgroups[] = [
  {
    folder: '/sys/fs/cgroup/cpu',
    limit: (quotaUs) => [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(quotaUs)],
    ],
  },
  { folder: '/sys/fs/cgroup', limit: (quotaUs) => [['cpu.max', `${quotaUs} ${PERIOD_US}`]] },
];

/** Why this machine cannot enforce a share; undefined if it can. */
export function cpuShareProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may limit the processor time of a process';
  try {
    cpuShareOf(MB_OF_ONE_CORE).close();
    return undefined;
  } catch (error) {
    return `no cgroup with a CPU quota can be made here (${error instanceof Error ? error.message : error})`;
  }
}

/** The share of a function with this much memory. Throws file system errors. */
export function cpuShareOf(memoryMb: number): CpuShare {
  const cgroups = known.find(({ folder }) => existsSync(join(folder, 'cgroup.procs')));
  if (!cgroups) throw new Error('no cgroups are mounted');
  const folder = join(cgroups.folder, `marketdata-bench-${process.pid}-${memoryMb}`);
  mkdirSync(folder, { recursive: true });
  const quotaUs = Math.round((PERIOD_US * memoryMb) / MB_OF_ONE_CORE);
  try {
    for (const [file, content] of cgroups.limit(quotaUs)) {
      accessSync(join(folder, file), constants.W_OK);
      writeFileSync(join(folder, file), content);
    }
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    holdBack: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    close: () => rmdirSync(folder),
  };
}
