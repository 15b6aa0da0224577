/** Writes openapi.yaml: part of `npm run codegen`. */
import { writeFileSync } from 'node:fs';
import { projectFile } from '../../lib/project-files.ts';
import { openApiText } from './document.ts';

writeFileSync(projectFile('openapi.yaml'), openApiText());
