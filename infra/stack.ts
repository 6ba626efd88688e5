import { join } from 'node:path';
import {
  Annotations,
  CfnOutput,
  DefaultStackSynthesizer,
  RemovalPolicy,
  Stack,
  type StackProps,
  Tags,
} from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { domains } from '../functions/domains.ts';
import { jobs as jobTable } from '../functions/jobs.ts';
import { routes as routeTable } from '../functions/routes.ts';
import { parseEnvironment } from '../shared/platform/environment.ts';
import { servedKinds } from '../shared/platform/job.ts';
import { printsMetrics } from '../shared/platform/metrics-output.ts';
import { assertUsable, type StageConfig, sharedKeyProblem } from './config.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { ApiRoute, pathsOf } from './constructs/api-route.ts';
import { DataBucket } from './constructs/data-bucket.ts';
import { Edge } from './constructs/edge.ts';
import { fetchedSecrets, grantFetching } from './constructs/fetched-secrets.ts';
import { functionEnvironment } from './constructs/function-environment.ts';
import { LiveAliases } from './constructs/live-aliases.ts';
import { MarketDataApi } from './constructs/market-data-api.ts';
import { OriginSecrets } from './constructs/origin-secrets.ts';
import { RegistryLayer } from './constructs/registry-layer.ts';
import { constructId, RouteFunction } from './constructs/route-function.ts';
import { ScheduledJob, SharedByJobs, scheduledRequestsADay } from './constructs/scheduled-job.ts';
import { ServiceAlarms } from './constructs/service-alarms.ts';
import { ServiceDashboard } from './constructs/service-dashboard.ts';
import { ServiceMetrics } from './constructs/service-metrics.ts';
import { SharedSecret } from './constructs/shared-secret.ts';
import { SharedTable } from './constructs/shared-table.ts';
import { deployedDomains, deployedJobs, deployedRoutes } from './deployed-routes.ts';

interface MarketDataStackProps {
  readonly stage: string;
  readonly config: StageConfig;
  /** The functions' bundles as `npm run build` made them; `dist/functions` unless told. */
  readonly functionsFolder?: string;
  /** The layer's content as `npm run registry` made it; `dist/layers/registry` unless told. */
  readonly registryFolder?: string;
  /** The web page as `npm run build` made it; `dist/web` unless told. */
  readonly pageFolder?: string;
}

const built = join(import.meta.dirname, '../dist');

/** Where a stage is deployed, and with which of the roles that `cdk bootstrap` made. */
export function placeOf({
  account,
  region,
  qualifier,
}: Pick<StageConfig, 'account' | 'region' | 'qualifier'>): StackProps {
  return { env: { account, region }, synthesizer: new DefaultStackSynthesizer({ qualifier }) };
}

/** The whole service of one stage: the API, and one function for every route of the table. */
export class MarketDataStack extends Stack {
  constructor(scope: Construct, id: string, props: MarketDataStackProps) {
    const { stage } = props;
    assertUsable(stage, props.config);
    const scheduledDaily = String(scheduledRequestsADay(jobTable, props.config.environment));
    const config: StageConfig = {
      ...props.config,
      environment: { UPSTREAM_SCHEDULED_DAILY: scheduledDaily, ...props.config.environment },
    };
    const {
      functionsFolder = join(built, 'functions'),
      registryFolder = join(built, 'layers/registry'),
      pageFolder = join(built, 'web'),
    } = props;
    super(scope, id, {
      description: `Market-data API, stage ${stage}`,
      ...placeOf(config),
    });

    const clientApiKey = new SharedSecret(this, 'ClientApiKey', {
      description: 'Key of the client application, sent as x-api-key',
      removalPolicy: config.removalPolicy,
      unrotatedBecause:
        'A rotation by timer would lock out every client at once: the key is changed together with the client application, as docs/runbook.md says.',
    });
    const clientKeys = {
      CLIENT_API_KEY: clientApiKey.secretValue,
      ...(config.acceptPreviousKey && { CLIENT_API_KEY_PREVIOUS: clientApiKey.previousValue }),
    };
    const routes = deployedRoutes(routeTable, config);
    const originSecrets = config.edge && new OriginSecrets(this, 'OriginSecrets', config.edge, config);
    const sharedTable = new SharedTable(this, 'Shared', config);
    const api = new MarketDataApi(this, 'Api', { ...config, routes });

    const registryLayer = new RegistryLayer(this, 'RegistryLayer', registryFolder);
    const dataBucket = new DataBucket(this, 'DataBucket', config);

    const metrics = new ServiceMetrics(
      this.stackName,
      api.httpApi,
      Number(parseEnvironment(config.environment).UPSTREAM_MONTHLY_BUDGET),
    );
    const { alarmEmails, ticketEmails = alarmEmails, runbookUrl } = config;
    const topics = {
      page: new AlarmTopic(this, 'AlarmTopic', { severity: 'page', emails: alarmEmails }),
      ticket: new AlarmTopic(this, 'TicketTopic', { severity: 'ticket', emails: ticketEmails }),
    };
    const alarms = new ServiceAlarms(this, 'Alarms', {
      alarms: config.alarms,
      metrics,
      topics,
      runbookUrl,
      settings: config.environment,
      printsMetrics: printsMetrics({ ...config.environment, NODE_ENV: config.nodeEnv }),
    });
    const functions: Record<string, IFunction> = {};
    const live: { readonly ofApi: IFunction[]; readonly ofPage: IFunction[] } = { ofApi: [], ofPage: [] };
    // The id is part of the aliases' own: under another one, CloudFormation would make each a second time, which fails.
    const aliases = new LiveAliases(this, 'Canary', config);

    for (const route of routes) {
      const reads = servedKinds.filter((kind) => route[kind]);
      const environment = functionEnvironment(route, config, this.stackName, {
        ...clientKeys,
        ...(originSecrets ? originSecrets.environment : {}),
      });
      const handler = new RouteFunction(this, constructId(route), {
        ...config,
        route,
        functionsFolder,
        environment: { ...environment, ...dataBucket.environmentOf(...reads) },
        layers: route.registry ? [registryLayer] : undefined,
      });
      sharedTable.shareKeys(handler);
      if (route.rows) sharedTable.share(handler, route.rows);
      dataBucket.grantReading(handler, reads);
      if (reads.includes('history')) dataBucket.grantListing(handler, ['history']);
      if (route.putsCoins) dataBucket.grantPuttingCoins(handler);
      grantFetching(handler, fetchedSecrets(route, config));
      alarms.watchFunction(constructId(route), handler);
      const alias = aliases.aliasOf(constructId(route), handler, (of) => alarms.ofNewVersion(route, of));
      live[route.isPage ? 'ofPage' : 'ofApi'].push(alias);
      for (const [index, path] of pathsOf(route, config).entries())
        new ApiRoute(
          this,
          `${constructId(route)}Route${index || ''}`,
          api.httpApi,
          { ...route, path },
          alias,
        );
      functions[route.name] = handler;
    }

    const edge =
      originSecrets &&
      config.edge &&
      new Edge(this, 'Edge', {
        ...config,
        edge: config.edge,
        api: api.httpApi,
        routes,
        originSecret: originSecrets.shown,
        folder: pageFolder,
      });
    // The functions know a new secret before the distribution shows it.
    if (edge) edge.node.addDependency(...live.ofApi);
    // The HTML of a function names files that have to be there; it needs no secret.
    if (edge) for (const alias of live.ofPage) alias.node.addDependency(edge);
    const pageUrl = edge ? edge.url : api.url;

    const deployed = deployedDomains(domains, config);
    for (const domain of deployed) alarms.watchDomain(domain);
    const shared = new SharedByJobs(this, 'Jobs');
    alarms.watchDeadLetters(shared.deadLetters);
    const scheduled = deployedJobs(jobTable, config).map((job) => {
      const { publishes = [], reads = [] } = job;
      const asks = job.environment.includes('PAGE_URL');
      const scheduledJob = new ScheduledJob(this, constructId(job), {
        ...config,
        job,
        shared,
        settings: config.environment,
        functionsFolder,
        environment: {
          ...functionEnvironment(job, config, this.stackName, asks ? clientKeys : {}),
          ...(asks && { PAGE_URL: pageUrl }),
          ...dataBucket.environmentOf(...publishes, ...reads),
        },
        layers: job.registry ? [registryLayer] : undefined,
      });
      const kinds = [...publishes, ...reads];
      dataBucket.grantPublishing(scheduledJob.function, publishes);
      if (job.removesCoins) dataBucket.grantRemovingCoins(scheduledJob.function);
      dataBucket.grantReading(scheduledJob.function, reads);
      if (kinds.length > 0) dataBucket.grantListing(scheduledJob.function, kinds);
      if (job.rows) sharedTable.share(scheduledJob.function, job.rows);
      return scheduledJob;
    });

    const snapshotJob = scheduled.find(({ name }) => name === 'marketdata/snapshot');
    if (snapshotJob) alarms.watchAccount(snapshotJob.function);

    const dashboard =
      config.dashboard &&
      new ServiceDashboard(this, 'Dashboard', {
        metrics,
        functions,
        alarms: alarms.all,
        distributionId: edge ? edge.distributionId : undefined,
        graphs: deployed.flatMap(({ graphs = [] }) => graphs),
      });
    const [first, ...others] = [edge, dashboard].filter((each) => each instanceof Construct);
    for (const job of scheduled) job.startAfter(first ?? api, ...others);

    const outputs: Readonly<Record<string, readonly [value: string, description: string]>> = {
      PageUrl: [pageUrl, 'Address of the web page, and of the API under /api'],
      ...(edge && {
        ApiUrl: [api.url, 'The API itself, which answers only what comes through the address of the page'],
        EdgeKeysArn: [
          edge.keysArn,
          'The store of the clients’ digests at the edge; npm run keys fills it and the table',
        ],
      }),
      ClientApiKeyCommand: [clientApiKey.readCommand, 'Prints the key that callers send as x-api-key'],
      RotateClientApiKeyCommand: [
        clientApiKey.rotateCommand,
        'Makes a new key, the first step of changing it: see docs/runbook.md',
      ],
      ...(originSecrets && {
        RotateOriginSecretCommand: [
          originSecrets.rotateCommand,
          'Makes a new secret between distribution and API, the first step of changing it: see docs/runbook.md',
        ],
      }),
      SharedTableName: [
        sharedTable.table.tableName,
        'Where the digests of the clients’ keys are, beside all that instances share',
      ],
      AlarmTopicArn: [
        topics.page.topicArn,
        'Where alarms are published that wake somebody; addresses are in alarmEmails of infra/config.ts',
      ],
      TicketTopicArn: [
        topics.ticket.topicArn,
        'Where alarms are published that wait until morning; addresses are in ticketEmails of infra/config.ts',
      ],
    };
    for (const [name, [value, description]] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description });
    Tags.of(this).add('project', 'marketdata');
    Tags.of(this).add('stage', stage);

    const sharedKey = sharedKeyProblem(stage, config);
    if (sharedKey) Annotations.of(this).addWarningV2('marketdata:shared-key', sharedKey);
    if (config.nodeEnv !== 'production') {
      Annotations.of(this).addWarningV2(
        'marketdata:authentication-bypassed',
        `Stage ${stage} runs with NODE_ENV=${config.nodeEnv}: anybody may call it without a key`,
      );
    }
    if (config.alarmEmails.length === 0 && config.removalPolicy !== RemovalPolicy.DESTROY) {
      Annotations.of(this).addWarningV2(
        'marketdata:alarms-unheard',
        `Stage ${stage} is to last, and its alarms reach nobody: set alarmEmails in infra/config.ts to addresses of those who run it`,
      );
    }
  }
}
