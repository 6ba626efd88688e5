import { join } from 'node:path';
import { Annotations, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { domains } from '../functions/domains.ts';
import { jobs as jobTable } from '../functions/jobs.ts';
import { routes as routeTable } from '../functions/routes.ts';
import { parseEnvironment } from '../shared/platform/environment.ts';
import { scheduledRequestsADay, servedKinds } from '../shared/platform/job.ts';
import type { StageConfig } from './config.ts';
import { ServiceAlarms } from './constructs/alarms.ts';
import { ApiRoute, MarketDataApi, pathsOf } from './constructs/api.ts';
import { Canaries } from './constructs/canaries.ts';
import { ServiceDashboard } from './constructs/dashboard.ts';
import { DataBucket } from './constructs/data-bucket.ts';
import { Edge } from './constructs/edge.ts';
import { constructId, registryLayer, ServiceFunction } from './constructs/functions.ts';
import { ScheduledJob, SharedByJobs } from './constructs/jobs.ts';
import { ServiceMetrics } from './constructs/metrics.ts';
import { OriginSecrets, SharedSecret } from './constructs/secrets.ts';
import { SharedTable } from './constructs/shared-table.ts';
import { deployedDomains, deployedJobs, deployedRoutes, requiredConcurrency } from './deployed-routes.ts';
import { assertUsable, warningsOf } from './stage-checks.ts';

interface MarketDataStackProps {
  readonly stage: string;
  readonly config: StageConfig;
  /** The functions' bundles, built by `npm run build`; `dist/functions` by default. */
  readonly functionsFolder?: string;
  /** The layer's content, built by `npm run registry`; `dist/layers/registry` by default. */
  readonly registryFolder?: string;
  /** The web page, built by `npm run build`; `dist/web` by default. */
  readonly pageFolder?: string;
}

const built = join(import.meta.dirname, '../dist');

/** The whole service of one stage: the API, and a function for every route and job. */
export class MarketDataStack extends Stack {
  constructor(scope: Construct, id: string, props: MarketDataStackProps) {
    const { stage } = props;
    assertUsable(stage, props.config);
    const scheduledDaily = String(
      scheduledRequestsADay(jobTable, parseEnvironment(props.config.environment)),
    );
    const config: StageConfig = {
      ...props.config,
      environment: { UPSTREAM_SCHEDULED_DAILY: scheduledDaily, ...props.config.environment },
    };
    const {
      functionsFolder = join(built, 'functions'),
      registryFolder = join(built, 'layers/registry'),
      pageFolder = join(built, 'web'),
    } = props;
    const { account, region } = config;
    super(scope, id, { description: `Market-data API, stage ${stage}`, env: { account, region } });

    const clientApiKey = new SharedSecret(this, config.clientKey, {
      description: 'Key of the client application, sent as x-api-key',
      removalPolicy: config.removalPolicy,
      unrotatedBecause:
        'A rotation by timer would lock out every client at once: the key is changed together with the client application, as docs/operations.md says.',
    });
    const clientKeys = { CLIENT_API_KEY: clientApiKey.secretValue };
    const routes = deployedRoutes(routeTable, config);
    const deployed = deployedDomains(domains, config);
    const originSecrets = config.edge
      ? new OriginSecrets(this, 'OriginSecrets', config.edge, config)
      : undefined;
    const sharedTable = new SharedTable(this, 'Shared', config);
    const api = new MarketDataApi(this, 'Api', { ...config, routes });
    const registry = registryLayer(this, registryFolder);
    const dataBucket = new DataBucket(this, 'DataBucket', config);
    const monthlyBudget = Number(parseEnvironment(config.environment).UPSTREAM_MONTHLY_BUDGET);
    const metrics = new ServiceMetrics(this.stackName, api.httpApi, monthlyBudget);
    const alarms = new ServiceAlarms(this, 'Alarms', metrics, config);
    const functions: Record<string, IFunction> = {};
    const live: { readonly ofApi: IFunction[]; readonly ofPage: IFunction[] } = { ofApi: [], ofPage: [] };
    const canaries = config.canary ? new Canaries(this, 'Canary') : undefined;

    for (const route of routes) {
      const reads = servedKinds.filter((kind) => route[kind]);
      const id = constructId(route);
      const handler = new ServiceFunction(this, id, {
        ...{ code: route, config, functionsFolder },
        sharedSecrets: { ...clientKeys, ...originSecrets?.environment },
        environment: dataBucket.environmentOf(...reads),
        layers: route.registry ? [registry] : undefined,
      });
      sharedTable.shareKeys(handler);
      if (route.rows) sharedTable.share(handler, route.rows);
      dataBucket.grant(handler, { ...route, reads });
      canaries?.add(id, handler.live, alarms.ofNewVersion(route, handler.live));
      live[route.isPage ? 'ofPage' : 'ofApi'].push(handler.live);
      for (const [index, path] of pathsOf(route, config).entries())
        new ApiRoute(this, `${id}Route${index || ''}`, api.httpApi, { ...route, path }, handler.live);
      functions[route.name] = handler;
    }

    const edge =
      config.edge && originSecrets
        ? new Edge(this, 'Edge', {
            ...{ ...config, edge: config.edge, api: api.httpApi, routes },
            originSecret: originSecrets.shown,
            folder: pageFolder,
          })
        : undefined;
    if (edge) {
      // The functions accept a new secret before the distribution sends it.
      edge.node.addDependency(...live.ofApi);
      // The function's HTML names files that have to exist; it needs no secret.
      for (const alias of live.ofPage) alias.node.addDependency(edge);
      alarms.watchEdge(edge.distributionId);
    }
    const pageUrl = edge?.url ?? api.url;

    for (const domain of deployed) alarms.watchDomain(domain);
    const shared = new SharedByJobs(this, 'Jobs');
    const scheduled = deployedJobs(jobTable, config).map((job) => {
      const { publishes = [], reads = [] } = job;
      const kinds = [...publishes, ...reads];
      const usesPage = job.environment.includes('PAGE_URL');
      const scheduledJob = new ScheduledJob(this, constructId(job), {
        ...{ job, shared, config, functionsFolder },
        sharedSecrets: usesPage ? clientKeys : {},
        environment: { ...(usesPage && { PAGE_URL: pageUrl }), ...dataBucket.environmentOf(...kinds) },
        layers: job.registry ? [registry] : undefined,
      });
      dataBucket.grant(scheduledJob.function, job);
      if (job.rows) sharedTable.share(scheduledJob.function, job.rows);
      if (job.name === 'marketdata/snapshot') alarms.watchJobs(shared.deadLetters, scheduledJob.function);
      return scheduledJob;
    });

    const dashboard = config.dashboard
      ? new ServiceDashboard(this, 'Dashboard', {
          ...{ metrics, functions, alarms: alarms.all },
          distributionId: edge?.distributionId,
          graphs: deployed.flatMap(({ graphs = [] }) => graphs),
        })
      : undefined;
    const before = [api, edge, dashboard].filter((each) => each !== undefined);
    for (const job of scheduled) job.startAfter(...before);

    const { page, ticket } = alarms.topics;
    const outputs: Readonly<Record<string, readonly [value: string | undefined, description: string]>> = {
      PageUrl: [pageUrl, 'Address of the web page, and of the API under /api'],
      ...(edge && {
        ApiUrl: [api.url, 'The API itself, which answers only what comes through the address of the page'],
        EdgeKeysArn: [
          edge.keysArn,
          'The store of the clients’ digests at the edge; npm run keys fills it and the table',
        ],
      }),
      ClientApiKeyCommand: [clientApiKey.readCommand, 'Prints the key that callers send as x-api-key'],
      SharedTableName: [
        sharedTable.table.tableName,
        'Where the digests of the clients’ keys are, beside all that instances share',
      ],
      DataBucketName: [dataBucket.bucketName, 'What jobs publish; npm run history reads it and restores'],
      AlarmTopicArn: [
        page.topicArn,
        'Where pages are published; addresses are in alarmEmails of infra/config.ts',
      ],
      TicketTopicArn: [
        ticket.topicArn,
        'Where tickets are published; addresses are in ticketEmails of infra/config.ts',
      ],
    };
    for (const [name, [value, description]] of Object.entries(outputs))
      if (value !== undefined) new CfnOutput(this, name, { value, description });
    Tags.of(this).add('project', 'marketdata');
    Tags.of(this).add('stage', stage);

    for (const [id, warning] of Object.entries(warningsOf(stage, config)))
      Annotations.of(this).addWarningV2(`marketdata:${id}`, warning);
    if (config.reserveConcurrency) {
      const required = requiredConcurrency(routeTable, config);
      Annotations.of(this).addInfoV2(
        'marketdata:concurrency',
        `Stage ${stage} reserves containers: the account's Lambda quota of concurrent executions must be ${required} (docs/operations.md)`,
      );
    }
  }
}
