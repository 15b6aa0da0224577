/**
 * Changes keys through a management API. To record a peer of Latchkey, write a module that exports these functions, and
 * pass it as `--driver FILE`; for an HTTP API, a description is enough (described-driver.ts).
 */
export interface Driver {
  readonly create: (api: ManagementApi, name: string) => Promise<CreatedKey>;
  readonly revoke: KeyChange;
  /** Both or neither. Without them, keys are only created and revoked. */
  readonly disable?: KeyChange;
  readonly enable?: KeyChange;
  /** Whether the service accepts a key; rejects without a verdict. Without it, the status of `--endpoint` says so. */
  readonly verify?: (api: ManagementApi, secret: string) => Promise<boolean>;
}

export interface ManagementApi {
  /** The value of `--management`, without a slash at the end. */
  readonly url: string;
  /** The value of `--team`; empty if it is not given. */
  readonly team: string;
  /** The variable LATCHKEY_TOKEN; empty if it is not set. */
  readonly token: string;
}

export interface CreatedKey {
  readonly id: string;
  /** What requests present. */
  readonly secret: string;
}

/**
 * Must resolve when the API has confirmed the change, and not before. If it rejects, the change counts as one without an
 * answer: it may have been made or not.
 */
export type KeyChange = (api: ManagementApi, id: string) => Promise<void>;
