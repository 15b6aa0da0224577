import type { CodegenConfig } from '@graphql-codegen/cli';

const scalars = {
  UUID: 'string',
  DateTime: { input: 'Date', output: 'Date' },
  JSON: 'unknown',
};

const typedDocuments = (documents: string) => ({
  documents: [documents],
  preset: 'client' as const,
  presetConfig: { fragmentMasking: false },
  config: {
    documentMode: 'string',
    useTypeImports: true,
    scalars: { ...scalars, DateTime: 'string' },
  },
});

const config: CodegenConfig = {
  schema: './schema.graphql',
  generates: {
    // The types of the resolvers, over the domain's own types.
    'src/graphql/generated/resolver-types.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        scalars,
        strictScalars: true,
        enumsAsTypes: true,
        useTypeImports: true,
        immutableTypes: true,
        maybeValue: 'T | null | undefined',
        contextType: '../context.ts#GraphQLContext',
        mapperTypeSuffix: 'Model',
        mappers: {
          ApiKey: '../../domain/key/api-key.ts#StoredKey',
          ApiKeyConnection: '../../manage/read/read-keys.ts#KeyPage',
          ViewerTeam: '../../manage/read/read-viewer.ts#ViewerTeam',
          UsageHour: '../../domain/verdict/verdict-code.ts#UsageHour',
          ObservedSource: '../../domain/source/observed-source.ts#ObservedSource',
          AddressUse: '../../manage/read/read-observed-sources.ts#AddressUse',
          FoundKey: '../../manage/read/find-keys.ts#FoundKey',
          RejectedKey: '../../manage/read/read-usage.ts#RejectedKey',
          AuditEntry: '../../domain/audit-entry.ts#AuditEntry',
          AuditEntryConnection: '../../manage/read/read-audit-log.ts#AuditPage',
          TrustRule: '../../domain/access/trust-rule.ts#TrustRule',
          Member: '../../manage/members/read-members.ts#CountedMember',
          MemberConnection: '../../manage/members/read-members.ts#MemberPage',
          ManagementKey: '../../domain/access/management-key.ts#ManagementKey',
          KeyPolicy: '../../manage/policy/set-key-policy.ts#ShownPolicy',
          Webhook: '../../domain/webhook/webhook.ts#Webhook',
          Delivery: '../../domain/webhook/delivery.ts#Delivery',
          DeliveryConnection: '../../manage/webhooks/read-deliveries.ts#DeliveryPage',
          Event: '../../domain/event/event.ts#LatchkeyEvent',
          PageInfo: '../../manage/read/page.ts#Page',
        },
      },
    },
    // The costs of fields, from the directives beside them.
    'src/graphql/generated/field-costs.ts': { plugins: ['./src/graphql/costs/cost-directives.ts'] },
    // The operations of the command line and the dashboard, with types for exactly what they select.
    'src/cli/service/generated/': typedDocuments('src/cli/service/operations.ts'),
    'src/dashboard/generated/': typedDocuments('src/dashboard/api/operations.graphql'),
  },
  importExtension: '.ts',
  emitLegacyCommonJSImports: false,
  ignoreNoDocuments: false,
};

export default config;
