import type { Management } from '../../manage/management.ts';
import type { Store } from '../../store/store.ts';
import { SourceRecorder } from '../../usage/source-recorder.ts';
import { UsageRecorder } from '../../usage/usage-recorder.ts';
import type { Report } from '../processes/throttled-report.ts';

/**
 * Records when management keys and trust rules were last accepted, and from where management keys are presented, as
 * verification does for keys. They are no keys of the team's APIs, so nothing is counted by the hour.
 */
export function recordCredentialUse(store: Store, report: Report) {
  const usage = new UsageRecorder(
    { addUsage: (records) => store.usage.add(records.map((record) => ({ ...record, counts: [] }))) },
    (error) => report(error, 'the use of management keys and trust rules could not be written; it is kept'),
  );
  const sources = new SourceRecorder(
    {
      addSources: async (records) => {
        const teams = await store.managementKeys.teams([...new Set(records.map(({ keyId }) => keyId))]);
        const known = records.flatMap((record) => {
          const teamId = teams.get(record.keyId);
          return teamId === undefined ? [] : [{ ...record, teamId }];
        });
        if (known.length > 0) await store.observedSources.add(known, new Date());
      },
    },
    (error) => report(error, 'the sources of management keys could not be written; they are kept'),
  );
  const record: Management['credentialUse']['record'] = (credential, source, code, now) => {
    usage.record(credential, code, now.getTime());
    if (source !== null) sources.record(credential, source, code, now.getTime());
  };
  return { record, close: async () => void (await Promise.all([usage.close(), sources.close()])) };
}
