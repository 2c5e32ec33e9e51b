// SPDX-License-Identifier: Apache-2.0
// The tools of ours, as somebody would register them with the official SDK: the same names, texts
// and schemas. `whoami` answers from memory, `list_project_applications` takes the project's name
// from a map and makes one REST call; nothing measures the others.
import http from 'node:http';

// A GET with connections that stay open, faster than fetch().
function getter(platform, token) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return path => new Promise((resolve, reject) => {
    http.get(platform + path, { agent, headers }, answer => {
      let text = '';
      answer.setEncoding('utf8').on('data', part => { text += part; });
      answer.on('end', () => (answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(`${path}: ${answer.statusCode}`))));
    }).on('error', reject);
  });
}

const result = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });

// data: { tools: the list of ours, whoami: its structured result, platform, token }
export async function toolsOf(data) {
  const handlers = { whoami: async () => result(data.whoami) };
  if (data.platform) {
    const get = getter(data.platform, data.token);
    const ids = new Map((await get('/api/projects?limit=500')).projects.map(({ id, name }) => [name, id]));
    handlers.list_project_applications = async ({ project }) => {
      const { applications, ...rest } = await get(`/api/projects/${ids.get(project)}/applications`);
      const shown = applications.map(({ id, name, appTag, applicationType, applicationInterfaces }) => ({ id, name, appTag, applicationType, applicationInterfaces }));
      return result({ project: rest.project, applications: shown, total: rest.total, returned: rest.returned });
    };
  }
  const absent = async () => ({ content: [{ type: 'text', text: 'not measured' }], isError: true });
  return data.tools.map(tool => ({ ...tool, run: handlers[tool.name] ?? absent }));
}
