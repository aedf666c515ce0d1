# What the recipe of docs/release-gate.md asks of fastlane and of App Store Connect: fastlane_stub.rb FASTFILE.
require "open3"

class Rollout
  def phased_release_state = ENV.fetch("PHASE", "ACTIVE")
  def pause = puts("PAUSED")
  def resume = puts("RESUMED")
end

class Version
  def version_string = ENV.fetch("LIVE")
  def fetch_app_store_version_phased_release = Rollout.new
end

module Spaceship
  module ConnectAPI
    class App
      def self.find(name) = name == "com.example.shop" ? new : nil
      def get_live_app_store_version = Version.new
    end
  end
end

module UI
  def self.user_error!(text) = abort(text)
  def self.important(text) = puts(text)
end

def app_store_connect_api_key(**) = nil
def lane(_name) = yield

def sh(*command)
  output, status = Open3.capture2(*command)
  print output
  yield status, output, command
end

load ARGV.fetch(0)
