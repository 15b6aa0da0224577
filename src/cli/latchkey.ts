#!/usr/bin/env node
import { requireSupportedNode } from '../service/node-version.ts';

requireSupportedNode();
// Imported after the check, because an older Node may fail to link the program.
await import('./program.ts');
