/** The compiled plugin: of the folder named in the environment, else of this repository. */

import { pathToFileURL, fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("../../../daemon/recalld/openclaw", import.meta.url));
export const FOLDER = process.env.RECALLD_TEST_PLUGIN ?? here;

export const part = (name) => import(pathToFileURL(`${FOLDER}/dist/${name}.js`).href);

export default (await part("index")).default;
