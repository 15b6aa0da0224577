/** The changes that can be made to several keys at once. */
export type ChangeKind = 'revoke' | 'disable' | 'enable' | 'renew' | 'tag';
