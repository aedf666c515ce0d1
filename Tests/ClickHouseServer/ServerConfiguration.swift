import Foundation
import Glibc
import TestSupport

/// The files of Debian's server, of version 18.16: loopback only, two users, TLS with a certificate of its own.
struct ServerConfiguration {
  let folder: String
  /// HTTP, the native protocol, between servers, HTTP with TLS.
  let ports: [Int]
  /// The ports of the native protocol of all shards.
  let cluster: [Int]

  func write() throws {
    try makeCertificate()
    try config.write(toFile: folder + "/config.xml", atomically: true, encoding: .utf8)
    try users.write(toFile: folder + "/users.xml", atomically: true, encoding: .utf8)
  }

  private var config: String {
    """
    <yandex>
      <logger><level>error</level><log>\(folder)/server.log</log><errorlog>\(folder)/server.errors</errorlog></logger>
      <http_port>\(ports[0])</http_port>
      <tcp_port>\(ports[1])</tcp_port>
      <interserver_http_port>\(ports[2])</interserver_http_port>
      <interserver_http_host>127.0.0.1</interserver_http_host>
      <https_port>\(ports[3])</https_port>
      <openSSL><server>
        <certificateFile>\(folder)/server.pem</certificateFile><privateKeyFile>\(folder)/server.key</privateKeyFile>
        <verificationMode>none</verificationMode><disableProtocols>sslv2,sslv3</disableProtocols>
      </server></openSSL>
      <listen_host>127.0.0.1</listen_host>
      <max_connections>100</max_connections><keep_alive_timeout>10</keep_alive_timeout>
      <max_concurrent_queries>50</max_concurrent_queries>
      <uncompressed_cache_size>16777216</uncompressed_cache_size><mark_cache_size>16777216</mark_cache_size>
      <path>\(folder)/data/</path><tmp_path>\(folder)/tmp/</tmp_path>
      <users_config>users.xml</users_config>
      <default_profile>default</default_profile><default_database>default</default_database>
      <remote_servers><shards>\(shards)</shards></remote_servers>
      <timezone>UTC</timezone><mlock_executable>false</mlock_executable>
      <format_schema_path>\(folder)/schemas/</format_schema_path>
    </yandex>
    """
  }

  private var shards: String {
    cluster.map { port in
      """
      <shard><internal_replication>true</internal_replication>
        <replica><host>127.0.0.1</host><port>\(port)</port></replica></shard>
      """
    }.joined()
  }

  /// `default` without a password, and `plumb` with one.
  private var users: String {
    let networks = "<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>"
    return """
      <yandex>
        <profiles><default>
          <max_memory_usage>2000000000</max_memory_usage><max_threads>2</max_threads>
        </default></profiles>
        <users>
          <default><password></password>\(networks)</default>
          <plumb><password>correct horse</password>\(networks)</plumb>
        </users>
        <quotas><default><interval>
          <duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows>
          <read_rows>0</read_rows><execution_time>0</execution_time>
        </interval></default></quotas>
      </yandex>
      """
  }

  private func makeCertificate() throws {
    try Program.output(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder + "/server.key", "-out",
        folder + "/server.pem",
      ])
  }
}
