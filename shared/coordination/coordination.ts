import { oncePer } from '../platform/caches.ts';
import type { Environment } from '../platform/environment.ts';
import { openTable } from '../platform/open-table.ts';
import type { SharedTable } from '../platform/table.ts';
import { planOf } from './allowance.ts';
import { MemoryBudget, TableBudget, type UpstreamBudget } from './budget.ts';
import { guardedTable } from './guarded-table.ts';
import { type Source, SourceLimits } from './source-limits.ts';

/** A container's limits and budget of one source, shared by all instances through the table, or its own without a table. */
export interface Coordination {
  readonly budget: UpstreamBudget;
  readonly limits: SourceLimits;
}

/** A request does not wait longer for a table that it can do without; DynamoDB answers in 5 to 20 ms. */
const ANSWER_WITHIN_MS = 200;

/** The container's one connection to the shared table; undefined without a table. Opened at first use. */
export function tableOf(environment: Environment): SharedTable | undefined {
  return environment.SHARED_TABLE ? guardedTableOf(environment) : undefined;
}

const guardedTableOf = oncePer(({ SHARED_TABLE: name = '' }: Environment) =>
  guardedTable(() => openTable(name, { answerWithinMs: ANSWER_WITHIN_MS })),
);

const coordinationsOf = oncePer((_environment: Environment) => new Map<string, Coordination>());

/** The container's coordination of one source, shared by all its clients. */
export function coordinationOf(environment: Environment, source: Source): Coordination {
  const coordinations = coordinationsOf(environment);
  const known = coordinations.get(source.name) ?? openCoordination(environment, source);
  coordinations.set(source.name, known);
  return known;
}

/** A coordination of one source, with the given table. */
export function openCoordination(
  environment: Environment,
  source: Source,
  table: SharedTable | undefined = tableOf(environment),
): Coordination {
  const plan = planOf(environment);
  return {
    budget: table ? new TableBudget({ table, provider: source.name, plan }) : new MemoryBudget(plan),
    limits: new SourceLimits(source, table),
  };
}
