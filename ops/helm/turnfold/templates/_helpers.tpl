{{- define "turnfold.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Labels that select the pods of a workload; takes (dict "root" $ "name" "ingest"). */ -}}
{{- define "turnfold.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "turnfold.labels" -}}
{{ include "turnfold.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | quote }}
{{- end -}}

{{- define "turnfold.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{- define "turnfold.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "turnfold.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- /* What every container is told: addresses by reference to a secret, settings by value; takes (dict "root" $ "name"
"ingest"). With cells, the gateway serves all of them and every other workload a single one. */ -}}
{{- define "turnfold.env" -}}
{{- $values := .root.Values -}}
{{- if $values.cells.secret -}}
- name: TURNFOLD_CELLS
  value: /etc/turnfold/cells.toml
{{- if ne .name "gateway" }}
- name: TURNFOLD_CELL
  value: {{ required "set `cells.name` to the cell of this release's workers" $values.cells.name | quote }}
{{- end }}
{{- else -}}
{{- $secret := required "set `secret` to the name of a secret with redis-url and database-url" $values.secret -}}
- name: TURNFOLD_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: redis-url}}
- name: TURNFOLD_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: database-url}}
- name: TURNFOLD_READ_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: read-database-url, optional: true}}
- name: TURNFOLD_BROKER_URL
  valueFrom: {secretKeyRef: {name: {{ $secret }}, key: broker-url, optional: true}}
{{- end }}
- name: TURNFOLD_REFINE
  value: {{ ternary "on" "off" $values.refine.enabled | quote }}
{{- range $name, $value := omit $values.settings "TURNFOLD_REFINE" }}
{{- if or (eq $name "TURNFOLD_CELLS") (eq $name "TURNFOLD_CELL") }}
{{- fail (printf "%s is set by `cells.secret` and `cells.name`, not by `settings`" $name) }}
{{- end }}
{{- if and $values.cells.secret (eq $name "TURNFOLD_DATABASE_POOLER") }}
{{- fail (printf "%s is `database_pooler` in the file of cells" $name) }}
{{- end }}
{{- if regexMatch "PASSWORD|API_KEY|REDIS_URL|DATABASE_URL|BROKER_URL" $name }}
{{- fail (printf "%s is a secret: put it into the secret `%s`, not into `settings`" $name ($values.cells.secret | default $values.secret)) }}
{{- end }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "turnfold.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "turnfold.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- /* What pods of every kind have in common; takes (dict "root" $ "name" "ingest"). */ -}}
{{- define "turnfold.podCommon" -}}
serviceAccountName: {{ include "turnfold.serviceAccount" .root }}
automountServiceAccountToken: false
securityContext:
  {{- include "turnfold.podSecurity" . | nindent 2 }}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .root.Values.topologySpread }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "turnfold.selector" . | nindent 8 }}
{{- end }}
volumes:
  {{- include "turnfold.volumes" . | nindent 2 }}
{{- end -}}

{{- define "turnfold.volumes" -}}
- name: scratch
  emptyDir: {sizeLimit: 256Mi}
{{- with .root.Values.cells.secret }}
- name: cells
  secret: {secretName: {{ . }}, items: [{key: cells.toml, path: cells.toml}]}
{{- end }}
{{- end -}}

{{- define "turnfold.mounts" -}}
- {name: scratch, mountPath: /tmp}
{{- if .root.Values.cells.secret }}
- {name: cells, mountPath: /etc/turnfold, readOnly: true}
{{- end }}
{{- end -}}
