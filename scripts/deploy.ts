import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { stageConfig } from '../infra/config.ts';
import { ensureRegistry } from '../registry-layer/main.ts';
import { reasonOf } from '../shared/platform/command.ts';
import { buildAll } from './build.ts';

const usage = `Usage: npm run deploy -- --stage <hobby|dev|prod> [options of cdk deploy]

Builds with a registry of real coins, then runs cdk deploy. Needs AWS credentials and a region, and once an account and
region npx cdk bootstrap. REGISTRY_SOURCE=<file> takes the coins from a list file. Options: npx cdk deploy --help
`;

const source = process.env.REGISTRY_SOURCE || 'live';
/** `--stage hobby` is short for the CDK's `-c stage=hobby`. */
const args = process.argv.slice(2).flatMap((arg, index, all) => {
  if (all[index - 1] === '--stage') return `stage=${arg}`;
  if (arg === '--stage') return '-c';
  return arg.startsWith('--stage=') ? ['-c', arg.slice('--'.length)] : arg;
});

/** Runs before the build, which takes a while. Throws an Error for an unknown stage, and without credentials or a region. */
async function assertDeployable(): Promise<void> {
  if (source === 'simulated')
    throw new Error(
      'A simulated coin registry is not deployed: unset REGISTRY_SOURCE (the list then comes from the provider), or name a list file.',
    );
  const { values } = parseArgs({
    args,
    options: { context: { type: 'string', short: 'c', multiple: true }, profile: { type: 'string' } },
    strict: false, // other options go to the CDK
  });
  const contexts = Array.isArray(values.context) ? values.context.map(String) : [];
  const stage = contexts.findLast((context) => context.startsWith('stage='))?.slice('stage='.length);
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region = stageConfig(stage ?? 'dev').region ?? (AWS_REGION || AWS_DEFAULT_REGION);
  const profile = typeof values.profile === 'string' ? values.profile : undefined;
  const { config } = new CloudFormationClient({ ...(region && { region }), ...(profile && { profile }) });
  await config.credentials();
  await config.region();
}

if (args.includes('--help')) {
  process.stdout.write(usage);
  process.exit();
}
try {
  await assertDeployable();
} catch (error) {
  console.error(reasonOf(error));
  process.exit(1);
}
await buildAll();
await ensureRegistry(source);
const { status } = spawnSync('cdk', ['deploy', ...args], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
process.exitCode = status ?? 1;
